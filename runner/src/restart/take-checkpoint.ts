import type { Logger } from '../logger';
import { untilAborted, within } from './end-stream';
import { extractCheckpoint } from './extract-checkpoint';
import { isPromptTooLong, isPromptTooLongAnswer } from './prompt-too-long';
import type { Agent, MissingCheckpoint } from './restart-types';

export type CheckpointOutcome = { text: string } | { text: null; missing: MissingCheckpoint };

export interface CheckpointRequest {
  /** The session that is full; empty where the agent never named it. */
  sessionId: string;
  prompt: string;
  /** The owner's. */
  signal: AbortSignal | undefined;
  timeoutMs: number;
  logger: Logger;
  /** Of the run, for the log. */
  name: string;
}

class CheckpointTimeout extends Error {}

/**
 * Asks a session with an ended stream to write down its state. Whatever goes wrong with that costs the
 * checkpoint, never the run: only the owner's signal is thrown on.
 */
export async function takeCheckpoint<Message>(
  agent: Agent<Message>,
  { sessionId, prompt, signal, timeoutMs, logger, name }: CheckpointRequest,
): Promise<CheckpointOutcome> {
  const missing = (why: MissingCheckpoint, error?: unknown): CheckpointOutcome => {
    // A full session is what a restart is for; anything else is worth a look.
    const level = why === 'prompt_too_long' ? 'info' : 'warn';
    const line = `${name}: no checkpoint (${why}), going on with the minimal prompt`;
    logger[level](line, error === undefined ? { sessionId } : { sessionId, error });
    return { text: null, missing: why };
  };
  if (sessionId === '') return missing('no_session');
  const controller = new AbortController();
  const either = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  try {
    const query = Promise.resolve().then(() => agent.query(sessionId, prompt, { signal: either }));
    const late = () => new CheckpointTimeout(`No answer within ${timeoutMs} ms`);
    const answer: unknown = await within(untilAborted(query, signal), timeoutMs, late);
    if (typeof answer !== 'string') return missing('empty');
    if (isPromptTooLongAnswer(answer)) return missing('prompt_too_long');
    const text = extractCheckpoint(answer);
    return text === '' ? missing('empty') : { text };
  } catch (error) {
    controller.abort(error);
    if (signal?.aborted === true) throw signal.reason;
    if (error instanceof CheckpointTimeout) return missing('timeout', error);
    return isPromptTooLong(error) ? missing('prompt_too_long') : missing('failed', error);
  }
}
