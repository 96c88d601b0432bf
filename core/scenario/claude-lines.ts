/** Lines of a transcript of Claude Code. */
interface LinesOptions {
  /** The ids of the lines count up from this number, exclusive. */
  uuidFrom?: number;
  /** Id of the n-th line; default: by `uuidFrom`. */
  uuid?: (line: number) => string;
  /** Time of the n-th line, milliseconds. */
  at?: (line: number) => number;
  model?: string;
  cwd?: string;
  sessionId?: string;
  gitBranch?: string;
}

export interface LineUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens?: number;
}

export function claudeLines(options: LinesOptions = {}) {
  const { uuidFrom = 0, at = (line) => 1_790_000_000_000 + line * 1_000, cwd, gitBranch } = options;
  const { model = 'claude-sonnet-4-5', sessionId = 's' } = options;
  const numbered = (count: number) => `00000000-0000-4000-8000-${String(uuidFrom + count).padStart(12, '0')}`;
  const { uuid = numbered } = options;
  let written = 0;
  const line = (type: string, more: object): string => {
    written += 1;
    const timestamp = new Date(at(written)).toISOString();
    const common = { uuid: uuid(written), sessionId, timestamp, cwd, gitBranch, version: '2.1.90' };
    return JSON.stringify({ type, ...common, ...more });
  };
  return {
    line,
    user: (content: unknown, more: object = {}) =>
      line('user', { message: { role: 'user', content }, ...more }),
    /** @param usage tokens of the call; a number: of the context that came from the cache */
    assistant(id: string, block: object | readonly object[], usage: LineUsage | number = 40_000): string {
      const counts =
        typeof usage === 'number'
          ? { input_tokens: 10, output_tokens: 90, cache_read_input_tokens: usage }
          : usage;
      return line('assistant', {
        message: { id, model, role: 'assistant', content: [block].flat(), usage: counts },
      });
    },
    compaction: (metadata: object) =>
      line('system', {
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        compactMetadata: metadata,
      }),
  };
}
