/** Lines as Claude Code writes them, with figures that are easy to add up. */
export const SESSION_ID = '11111111-1111-4111-8111-111111111111';

export function promptLine(text: string, at = '2026-03-01T10:00:00.000Z'): string {
  return line({ type: 'user', message: { role: 'user', content: text }, timestamp: at });
}

/** A call of `input` 10, cache creation 100, cache read 0 and the given output. */
export function callLine(id: string, output: number, at = '2026-03-01T10:00:01.000Z'): string {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 0,
    output_tokens: output,
  };
  const message = { id, model: 'claude-sonnet-4-5-20250929', role: 'assistant', content: [], usage };
  return line({ type: 'assistant', message, timestamp: at });
}

/** A compaction's boundary. */
export function boundaryLine(
  uuid: string,
  trigger: 'auto' | 'manual' = 'auto',
  at = '2026-03-01T10:00:02.000Z',
): string {
  const compactMetadata = { trigger, preTokens: 167_000 };
  return line({ type: 'system', subtype: 'compact_boundary', uuid, compactMetadata, timestamp: at });
}

function line(fields: Record<string, unknown>): string {
  const envelope = { sessionId: SESSION_ID, cwd: '/home/dev/harbour', version: '2.1.90', isSidechain: false };
  return `${JSON.stringify({ ...envelope, ...fields })}\n`;
}
