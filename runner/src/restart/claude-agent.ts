/** The Claude Agent SDK as an agent of the restart loop. The owner passes `query`, so the SDK is not imported. */
import type { LensName } from '../../../core/protocol/items';
import { readField, readText } from '../usage/read-field';
import { createClaudeReader, isMain } from './claude-reader';
import { PromptTooLongError } from './prompt-too-long';
import type { Agent, AgentCall, QueryAnswer } from './restart-types';

/** The SDK's `query`, as far as this package uses it. */
export type ClaudeQuery<Options extends object, Message> = (params: {
  prompt: string;
  options?: Options;
}) => AsyncIterable<Message>;

/** Options of `createClaudeAgent`. */
export interface ClaudeAgentOptions<Options extends object, Message> {
  /** The SDK's function of that name, or the one that `trackQuery` returns. */
  query: ClaudeQuery<Options, Message>;
  /**
   * The options of each query. `resume` and similar options apply only to the first context, since a continuation is a
   * fresh session. Your own `abortController` ends the running query. Each query asks for partial messages, which state
   * the output of a call; the loop yields them only if you ask for them too. Default: none.
   */
  options?: Options | undefined;
  /**
   * `snapshot` (default): pressure is the size of the last call of the main loop, checked before the agent makes the
   * next one. `cumulative`: the sum of the results' usage, checked at each result.
   */
  lens?: LensName | undefined;
}

/** Options that make a query continue a session. */
const SESSION_OPTIONS: readonly string[] = [
  'resume',
  'resumeSessionAt',
  'continue',
  'forkSession',
  'sessionId',
];

/** Makes the Claude Agent SDK an agent of the restart loop. `query` is the SDK's function of that name. */
export function createClaudeAgent<Options extends object, Message>({
  query,
  options,
  lens = 'snapshot',
}: ClaudeAgentOptions<Options, Message>): Agent<Message> {
  const withoutSession = Object.fromEntries(
    Object.entries(options ?? {}).filter(([name]) => !SESSION_OPTIONS.includes(name)),
  );
  const ask = (prompt: string, own: object, signal: AbortSignal) => {
    const abortController = linkedController(signal, readField(options, 'abortController'));
    // The cast is safe: the added options are in every SDK version; the rest are the caller's options.
    return query({ prompt, options: { ...own, includePartialMessages: true, abortController } as Options });
  };
  return {
    client: 'claude-code',
    lens,
    createReader: () => createClaudeReader(lens, readField(options, 'includePartialMessages') !== true),
    start: (prompt, { continuation, signal }) =>
      ask(prompt, continuation === 0 ? { ...options } : withoutSession, signal),
    async *compact(sessionId, { signal }) {
      const resumed = { ...withoutSession, resume: sessionId };
      try {
        // The owner takes a result as the end of the task.
        for await (const message of ask('/compact', resumed, signal))
          if (readText(message, 'type') !== 'result') yield message;
      } catch (error) {
        // A session that was not compacted can go on.
        if (signal.aborted) throw error;
      }
      yield* ask('Go on with the task.', resumed, signal);
    },
    query: (sessionId, prompt, { signal }) =>
      readAnswer(ask(prompt, { ...withoutSession, resume: sessionId }, signal)),
  };
}

/**
 * The text of the main loop's answer up to the end of the checkpoint, and its calls. Reading stops at the message after
 * the checkpoint, because later work in this session would be lost.
 */
async function readAnswer(stream: AsyncIterable<unknown>): Promise<QueryAnswer> {
  let text = '';
  const calls: AgentCall[] = [];
  const read = createClaudeReader('snapshot');
  const take = (message: unknown) => {
    const { usage, calls: others = [], ...facts } = read(message);
    calls.push(...others, ...(usage === undefined ? [] : [{ ...facts, usage }]));
  };
  for await (const message of stream) {
    const type = readText(message, 'type');
    take(message);
    if (type === 'result') refuseFailure(message, text);
    if (type !== 'stream_event' && /<\/checkpoint\s*>/i.test(text)) break;
    if (type === 'assistant' && isMain(message))
      text += textOf(readField(readField(message, 'message'), 'content'));
  }
  take(END);
  return { text, calls };
}

/** A message after which the reader returns the call that it holds until the call's tools have run. */
const END = { type: 'user', parent_tool_use_id: null };

/** The SDK reports an error as a result, with the error's text as the answer. */
function refuseFailure(result: unknown, text: string): void {
  if (readText(result, 'terminal_reason') === 'prompt_too_long') throw new PromptTooLongError();
  const isError = readField(result, 'is_error') === true || readText(result, 'subtype') !== 'success';
  // An incomplete checkpoint is better than none.
  if (!isError || /<checkpoint\b/i.test(text)) return;
  const errors: unknown = readField(result, 'errors');
  const words = readText(result, 'result') ?? (Array.isArray(errors) ? errors.join('; ') : '');
  throw new Error(`The query ended with ${readText(result, 'subtype') ?? 'an error'}: ${words}`);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => (readText(block, 'type') === 'text' && readText(block, 'text')) || '')
    .join('');
}

/** A controller that aborts when the loop's signal or the owner's own controller aborts. */
function linkedController(signal: AbortSignal, own: unknown): AbortController {
  const controller = new AbortController();
  const any = AbortSignal.any(own instanceof AbortController ? [signal, own.signal] : [signal]);
  const abort = () => controller.abort(any.reason);
  if (any.aborted) abort();
  else any.addEventListener('abort', abort, { once: true });
  return controller;
}
