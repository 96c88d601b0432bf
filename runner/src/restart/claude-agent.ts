/**
 * The Claude Agent SDK as an agent of the restart loop. The owner passes the SDK's `query` in, so that nothing
 * of the SDK is imported here.
 */
import type { LensName } from '../../../core/protocol/items';
import { readField, readText } from '../usage/read-field';
import { createClaudeReader } from './claude-reader';
import { PromptTooLongError } from './prompt-too-long';
import type { Agent } from './restart-types';

/** The part of the SDK's `query` that is called here. */
export type ClaudeQuery<Options extends object, Message> = (params: {
  prompt: string;
  options?: Options;
}) => AsyncIterable<Message>;

/** What `createClaudeAgent` takes. */
export interface ClaudeAgentOptions<Options extends object, Message> {
  query: ClaudeQuery<Options, Message>;
  /**
   * The options of each query. `resume` and its like hold for the first context alone: a continuation is a fresh
   * session. An own `abortController` ends whatever query is running.
   */
  options?: Options | undefined;
  /**
   * `snapshot` (default): pressure is the size of the last call of the main loop, judged where the agent is about
   * to make another one. `cumulative`: the sum of what each turn's result states, judged at the result.
   */
  lens?: LensName | undefined;
}

/** Options that would make a query go on with some session. */
const SESSION_OPTIONS = ['resume', 'resumeSessionAt', 'continue', 'forkSession', 'sessionId'] as const;

/** Makes the Claude Agent SDK an agent of the restart loop: `query` is the SDK's own, passed in by the owner. */
export function createClaudeAgent<Options extends object, Message>({
  query,
  options,
  lens = 'snapshot',
}: ClaudeAgentOptions<Options, Message>): Agent<Message> {
  const withoutSession = Object.fromEntries(
    Object.entries(options ?? {}).filter(([name]) => !SESSION_OPTIONS.some((option) => option === name)),
  );
  const ask = (prompt: string, own: object, signal: AbortSignal) => {
    const abortController = linkedController(signal, readField(options, 'abortController'));
    // The fields are the owner's own options, and two that every version of the SDK has.
    return query({ prompt, options: { ...own, abortController } as Options });
  };
  return {
    client: 'claude-code',
    lens,
    createReader: () => createClaudeReader(lens),
    start: (prompt, { continuation, signal }) =>
      ask(prompt, continuation === 0 ? { ...options } : withoutSession, signal),
    query: (sessionId, prompt, { signal }) =>
      readAnswer(ask(prompt, { ...withoutSession, resume: sessionId }, signal)),
  };
}

/**
 * The text of the main loop's answer. Reading stops at the end of the checkpoint: an agent that goes on working
 * there would do so in a session that is given up.
 */
async function readAnswer(stream: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const message of stream) {
    const type = readText(message, 'type');
    if (type === 'assistant' && (readField(message, 'parent_tool_use_id') ?? null) === null) {
      text += textOf(readField(readField(message, 'message'), 'content'));
      if (/<\/checkpoint\s*>/i.test(text)) return text;
    }
    if (type === 'result') refuseFailure(message, text);
  }
  return text;
}

/** The SDK states an error as a result, with the error's text as the agent's last words. */
function refuseFailure(result: unknown, text: string): void {
  if (readText(result, 'terminal_reason') === 'prompt_too_long') throw new PromptTooLongError();
  const isError = readField(result, 'is_error') === true || readText(result, 'subtype') !== 'success';
  // Cut short, but with something to go on from.
  if (!isError || /<checkpoint\b/i.test(text)) return;
  const errors: unknown = readField(result, 'errors');
  const words = readText(result, 'result') ?? (Array.isArray(errors) ? errors.join('; ') : '');
  throw new Error(`The query ended with ${readText(result, 'subtype') ?? 'an error'}: ${words}`);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter((block) => readText(block, 'type') === 'text')
    .map((block) => readText(block, 'text') ?? '')
    .join('');
}

/** A controller that aborts with the loop's signal, and with the owner's own controller. */
function linkedController(signal: AbortSignal, own: unknown): AbortController {
  const controller = new AbortController();
  const signals = own instanceof AbortController ? [signal, own.signal] : [signal];
  const any = AbortSignal.any(signals);
  const abort = () => controller.abort(any.reason);
  if (any.aborted) abort();
  else any.addEventListener('abort', abort, { once: true });
  return controller;
}
