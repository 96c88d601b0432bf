interface LinesOptions {
  /** The ids of the lines count up from this number, exclusive. */
  uuidFrom?: number;
  /** Time of the n-th line, milliseconds. */
  at?: (line: number) => number;
  model?: string;
  cwd?: string;
}

export function claudeLines(options: LinesOptions = {}) {
  const { uuidFrom = 0, at = (line) => 1_790_000_000_000 + line * 1_000, cwd } = options;
  const { model = 'claude-sonnet-4-5' } = options;
  let written = 0;
  const line = (type: string, more: object): string => {
    written += 1;
    const uuid = `00000000-0000-4000-8000-${String(uuidFrom + written).padStart(12, '0')}`;
    const timestamp = new Date(at(written)).toISOString();
    return JSON.stringify({ type, uuid, sessionId: 's', timestamp, cwd, version: '2.1.90', ...more });
  };
  return {
    line,
    user: (content: unknown, more: object = {}) =>
      line('user', { message: { role: 'user', content }, ...more }),
    /** @param cacheRead tokens of the context that came from the cache */
    assistant(id: string, block: object | readonly object[], cacheRead = 40_000): string {
      const usage = { input_tokens: 10, output_tokens: 90, cache_read_input_tokens: cacheRead };
      return line('assistant', { message: { id, model, role: 'assistant', content: [block].flat(), usage } });
    },
    compaction: (metadata: object) =>
      line('system', {
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        compactMetadata: metadata,
      }),
  };
}
