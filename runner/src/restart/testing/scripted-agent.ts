/**
 * For tests: an agent that yields scripted messages, one list for each context, and records each step in order.
 * Messages of the k-th context have the session id `s-k`.
 */
import type { Agent } from '../restart-types';

export interface ScriptedMessage {
  type: string;
  session_id?: string;
  text?: string;
  goesOn?: boolean | undefined;
  usage?: Record<string, unknown> | null;
}

export interface ScriptedAgentOptions {
  contexts: readonly (readonly ScriptedMessage[])[];
  /** Answers to checkpoint queries, in order; a function may throw or wait. Default: a checkpoint with its number. */
  answers?: readonly (string | ((signal: AbortSignal) => string | Promise<string>))[];
}

export interface ScriptedAgent extends Agent<ScriptedMessage> {
  /** `start 0`, `query s-0`, `closed 0` (the loop closed the stream early), `ended 0`. */
  readonly log: string[];
  /** The prompts of each start, and of each query. */
  readonly starts: string[];
  readonly queries: string[];
  /** The signals of each start. */
  readonly signals: AbortSignal[];
}

/** A message that ends a turn with this usage. The agent goes on after it. */
export function turnOf(input: number, output = 0, cacheRead = 0): ScriptedMessage {
  return {
    type: 'result',
    goesOn: true,
    usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: cacheRead },
  };
}

export function say(text: string): ScriptedMessage {
  return { type: 'assistant', text };
}

export function scriptedAgent({ contexts, answers = [] }: ScriptedAgentOptions): ScriptedAgent {
  const log: string[] = [];
  const starts: string[] = [];
  const queries: string[] = [];
  const signals: AbortSignal[] = [];

  async function* play(index: number): AsyncGenerator<ScriptedMessage, void, undefined> {
    let ended = false;
    try {
      for (const message of contexts[index] ?? []) yield { session_id: `s-${index}`, ...message };
      ended = true;
    } finally {
      log.push(`${ended ? 'ended' : 'closed'} ${index}`);
    }
  }

  return {
    log,
    starts,
    queries,
    signals,
    client: 'scripted',
    start(prompt, { continuation, signal }) {
      log.push(`start ${continuation}`);
      starts.push(prompt);
      signals.push(signal);
      return play(continuation);
    },
    async query(sessionId, prompt, { signal }) {
      log.push(`query ${sessionId}`);
      const answer = answers[queries.length] ?? `<checkpoint>\nstate ${queries.length + 1}\n</checkpoint>`;
      queries.push(prompt);
      return typeof answer === 'string' ? answer : await answer(signal);
    },
  };
}
