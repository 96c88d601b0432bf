/** For tests: a fake of the Claude Agent SDK's `query`, and messages in the SDK's format. */

export type Message = Record<string, unknown>;
export interface Options {
  model?: string;
  resume?: string;
  continue?: boolean;
  forkSession?: boolean;
  sessionId?: string;
  includePartialMessages?: boolean;
  abortController?: AbortController;
}

/** A `query` that yields one list of messages for each call. */
export function fakeQuery(plays: readonly (readonly Message[])[]) {
  const calls: { prompt: string; options: Options }[] = [];
  const closed: number[] = [];
  const delivered: number[] = [];
  return {
    calls,
    closed,
    /** How many messages of each query were requested. */
    delivered,
    async *query({ prompt, options = {} }: { prompt: string; options?: Options }) {
      const index = calls.push({ prompt, options }) - 1;
      try {
        for (const message of plays[index] ?? []) {
          delivered[index] = (delivered[index] ?? 0) + 1;
          yield message;
        }
      } finally {
        closed.push(index);
      }
    },
  };
}

export function call(id: string, cacheRead: number, fields: Message = {}): Message {
  return {
    type: 'assistant',
    session_id: 'c-1',
    parent_tool_use_id: null,
    message: {
      id,
      model: 'claude-haiku-4-5',
      content: [{ type: 'text', text: 'x' }],
      usage: { input_tokens: 10, cache_read_input_tokens: cacheRead, output_tokens: 1 },
    },
    ...fields,
  };
}
export const toolResult = { type: 'user', session_id: 'c-1', parent_tool_use_id: null };
export const success = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  usage: { input_tokens: 1, output_tokens: 1 },
};
export const answer = (text: string, session = 'c-1') => ({
  type: 'assistant',
  session_id: session,
  parent_tool_use_id: null,
  message: { id: 'm', content: [{ type: 'text', text }] },
});
