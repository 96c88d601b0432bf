import { countCalls } from './count-calls';
import { extractCheckpoint } from './extract-checkpoint';
import { isPromptTooLong, isPromptTooLongAnswer } from './prompt-too-long';
import type { MissingCheckpoint, QueryAnswer } from './restart-types';
import { retryTransient } from './retry-transient';
import type { Run } from './run';
import { WaitTimeout, waitFor } from './wait-for';

const DEFAULT_TIMEOUT_MS = 300_000;

/**
 * Asks a session for its checkpoint after its stream has ended, and repeats the query after transient failures. A
 * failure loses only the checkpoint: this function rejects only if the owner's signal aborts.
 * @param sessionId empty if the agent never named its session. @param goesOn the session goes on after the query.
 * @returns null without a checkpoint; `missingCheckpoint` of the run's result has the reason.
 */
export async function takeCheckpoint<Message>(
  run: Run<Message>,
  sessionId: string,
  prompt: string,
  goesOn = false,
): Promise<string | null> {
  const { options, result, signal, logger, name } = run;
  const missing = (why: MissingCheckpoint, error?: unknown) => {
    // A full session is expected here; any other error is a problem.
    const level = why === 'prompt_too_long' ? 'info' : 'warn';
    const fields = error === undefined ? { sessionId } : { sessionId, error };
    const then = goesOn ? 'the session continues' : 'continuing with the minimal prompt';
    logger[level](`${name}: no checkpoint (${why}), ${then}`, fields);
    result.missingCheckpoint = why;
    return null;
  };
  result.missingCheckpoint = null;
  if (sessionId === '') return missing('no_session');
  const controller = new AbortController();
  const { report, openCall } = run;
  const context = { signal: AbortSignal.any([signal, controller.signal]), report, openCall, goesOn };
  const ask = () => Promise.resolve().then(() => options.agent.query(sessionId, prompt, context));
  const onRetry = (error: unknown, waitMs: number) =>
    logger.warn(`${name}: the checkpoint query failed, retrying in ${waitMs} ms`, { sessionId, error });
  try {
    const asking = retryTransient(ask, { retryMs: options.retryMs, signal: context.signal, onRetry });
    const answer = await waitFor(asking, {
      signal,
      timeoutMs: options.checkpointTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
    const text = textOf(answer);
    if (typeof answer !== 'string') countCalls(run, answer?.calls ?? []);
    if (text === null) return missing('empty');
    if (isPromptTooLongAnswer(text)) return missing('prompt_too_long');
    return extractCheckpoint(text) || missing('empty');
  } catch (error) {
    controller.abort(error);
    signal.throwIfAborted();
    if (error instanceof WaitTimeout) return missing('timeout', error);
    return isPromptTooLong(error) ? missing('prompt_too_long') : missing('failed', error);
  }
}

/** Null: the agent's own code returned no text. */
function textOf(answer: string | QueryAnswer | null | undefined): string | null {
  const text: unknown = typeof answer === 'string' ? answer : answer?.text;
  return typeof text === 'string' ? text : null;
}
