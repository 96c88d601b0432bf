/**
 * One context of a run: its stream, and the query for a checkpoint. The stream is always closed, whether the agent, the
 * threshold, the owner or an error ends it. Unless the agent ended the stream, the context's signal is aborted. Each
 * context gets a new object, so nothing carries over.
 */
import type { Logger } from '../logger';
import { type ContextPressure, ContextPressureError } from '../usage/context-usage';
import { UsageCountError } from '../usage/usage-count-error';
import type { UsageProcessor } from '../usage/usage-processor';
import { extractCheckpoint } from './extract-checkpoint';
import { isPromptTooLong, isPromptTooLongAnswer } from './prompt-too-long';
import { readAgentMessage } from './read-agent-message';
import type {
  ContextRecord,
  MessageFacts,
  MessageReader,
  MissingCheckpoint,
  RestartOptions,
  RestartResult,
  RestartSession,
} from './restart-types';

const DEFAULT_CHECKPOINT_TIMEOUT_MS = 300_000;
const DEFAULT_STOP_TIMEOUT_MS = 5_000;

/** State shared by the contexts of a run. */
export interface Run<Message> {
  options: RestartOptions<Message>;
  processor: UsageProcessor;
  result: RestartResult<Message>;
  /** Reports to the server, if there is one. Never throws. */
  report(send: (session: RestartSession) => unknown): void;
  logger: Logger;
  name: string;
  /** The owner's signal, or one that never aborts. */
  signal: AbortSignal;
  /** Assumptions that the run has warned about. */
  warned: Set<string>;
}

/** Why and where the loop ends a context. */
export interface ContextEnd extends Pick<ContextPressure, 'sessionId' | 'pressureRatio'> {
  by: Exclude<ContextRecord['endedBy'], 'agent'>;
}

export class AgentContext<Message> {
  sessionId: string | null = null;
  /** Messages with a usage of the main chain. */
  turns = 0;
  readonly #run: Run<Message>;
  readonly #read: MessageReader<Message>;

  constructor(
    run: Run<Message>,
    readonly continuation: number,
  ) {
    this.#run = run;
    this.#read = run.options.agent.createReader?.() ?? readAgentMessage;
  }

  /** Yields the agent's messages. @returns why the loop ended the context; null: the agent finished. */
  async *stream(prompt: string): AsyncGenerator<Message, ContextEnd | null, undefined> {
    const { options, signal } = this.#run;
    const { continuation } = this;
    const controller = new AbortController();
    const context = { continuation, signal: AbortSignal.any([signal, controller.signal]) };
    let iterator: AsyncIterator<Message> | null = null;
    let hasEnded = false;
    let reason: unknown = new Error('The context has ended');
    try {
      const starting = Promise.resolve().then(() => options.agent.start(prompt, context));
      iterator = (await this.#ofAgent(starting))[Symbol.asyncIterator]();
      while (true) {
        const next = await this.#ofAgent(iterator.next());
        if (next.done === true) {
          hasEnded = true;
          return null;
        }
        const full = this.#take(next.value);
        await options.onMessage?.(next.value, { continuation, sessionId: this.sessionId });
        yield next.value;
        if (full !== null) throw full;
      }
    } catch (error) {
      // An agent that keeps its own sums throws a pressure error too.
      const isPressure = error instanceof ContextPressureError;
      if (!isPressure && !(error instanceof TooLongForAgent)) {
        reason = error;
        throw error;
      }
      reason = isPressure ? error : error.cause;
      const { sessionId, pressureRatio } = isPressure ? error : this.#run.processor;
      return { by: isPressure ? 'pressure' : 'prompt_too_long', sessionId, pressureRatio };
    } finally {
      if (!hasEnded) await this.#close(iterator, controller, reason);
    }
  }

  /**
   * Asks the session for its checkpoint after the stream has ended. A failure loses only the checkpoint: this method
   * rejects only if the owner's signal aborts.
   * @param sessionId empty if the agent never named its session.
   * @returns null without a checkpoint; `missingCheckpoint` of the run's result has the reason.
   */
  async takeCheckpoint(sessionId: string, prompt: string): Promise<string | null> {
    const { options, result, signal, logger, name } = this.#run;
    const { agent, checkpointTimeoutMs: timeoutMs = DEFAULT_CHECKPOINT_TIMEOUT_MS } = options;
    const missing = (why: MissingCheckpoint, error?: unknown) => {
      // A full session is expected here; any other error is a problem.
      const level = why === 'prompt_too_long' ? 'info' : 'warn';
      const fields = error === undefined ? { sessionId } : { sessionId, error };
      logger[level](`${name}: no checkpoint (${why}), continuing with the minimal prompt`, fields);
      result.missingCheckpoint = why;
      return null;
    };
    result.missingCheckpoint = null;
    if (sessionId === '') return missing('no_session');
    const controller = new AbortController();
    const context = { signal: AbortSignal.any([signal, controller.signal]) };
    try {
      const query = Promise.resolve().then(() => agent.query(sessionId, prompt, context));
      const answer: unknown = await waitFor(query, { signal, timeoutMs });
      if (typeof answer !== 'string') return missing('empty');
      if (isPromptTooLongAnswer(answer)) return missing('prompt_too_long');
      return extractCheckpoint(answer) || missing('empty');
    } catch (error) {
      controller.abort(error);
      signal.throwIfAborted();
      if (error instanceof WaitTimeout) return missing('timeout', error);
      return isPromptTooLong(error) ? missing('prompt_too_long') : missing('failed', error);
    }
  }

  /** Waits for the agent. Its errors are known to be its own: an owner's callback may throw the same error. */
  async #ofAgent<T>(step: PromiseLike<T>): Promise<T> {
    const { signal } = this.#run;
    try {
      return await waitFor(step, { signal });
    } catch (error) {
      throw !signal.aborted && isPromptTooLong(error) ? new TooLongForAgent(error) : error;
    }
  }

  #take(message: Message): ContextPressureError | TooLongForAgent | null {
    const { processor, result, report } = this.#run;
    const { usage, isResult, goesOn, boundary, sessionId, isTooLong, assumes, ...facts } =
      this.#read(message);
    if (assumes !== undefined) this.#warnAssumed(assumes);
    result.lastMessage = message;
    if (isResult ?? usage !== undefined) result.lastResult = message;
    if (sessionId !== undefined && sessionId !== this.sessionId) this.#rename(sessionId);
    if (usage !== undefined) this.turns += 1;
    const pressure = usage === undefined ? null : this.#count(usage, facts);
    if (usage === undefined) processor.note(facts);
    if (isTooLong === true) return new TooLongForAgent(message);
    if (boundary === undefined) return goesOn === false ? null : pressure;
    processor.reset({ sameThread: boundary.kind === 'compaction' });
    report((session) => {
      if (boundary.kind === 'clear') return session.clear?.({});
      const { kind: _, id, ...compaction } = boundary;
      return session.compaction?.({ ...compaction, state: 'confirmed', boundary: id });
    });
    return null;
  }

  #warnAssumed(what: string): void {
    const { options, logger, name, warned } = this.#run;
    if (warned.has(what) || (options.lens ?? options.agent.lens) !== undefined) return;
    warned.add(what);
    logger.warn(`${name}: ${what}`);
  }

  #rename(sessionId: string): void {
    const { options, processor, result, report, logger, name } = this.#run;
    if (sessionId === result.contexts.at(-1)?.sessionId) {
      logger.warn(`${name}: the agent continued session ${sessionId} instead of starting a fresh one`);
    }
    this.sessionId = sessionId;
    processor.sessionId = sessionId;
    const { client } = options.agent;
    if (client !== undefined) report((session) => session.alias?.({ client, clientSessionId: sessionId }));
  }

  #count(usage: unknown, facts: Omit<MessageFacts, 'usage'>): ContextPressureError | null {
    const { processor, logger, name } = this.#run;
    try {
      // Wrapped as a message, because a bare empty usage would count as missing.
      processor.process({ usage }, facts);
    } catch (error) {
      if (error instanceof ContextPressureError) return error;
      // An invalid count must not end the agent's work. No sum includes this turn.
      if (!(error instanceof UsageCountError)) throw error;
      logger.warn(`${name}: a turn could not be counted: ${error.message}`, { sessionId: this.sessionId });
    }
    return null;
  }

  /** Lets the iterator close, and then always aborts the signal. */
  async #close(
    iterator: AsyncIterator<Message> | null,
    controller: AbortController,
    reason: unknown,
  ): Promise<void> {
    const { options, logger, name } = this.#run;
    const { stopTimeoutMs: timeoutMs = DEFAULT_STOP_TIMEOUT_MS } = options;
    try {
      await waitFor(Promise.resolve(iterator?.return?.()), { timeoutMs });
    } catch (error) {
      logger.debug(`${name}: the agent's stream did not close cleanly`, { error });
    } finally {
      controller.abort(reason);
    }
  }
}

class WaitTimeout extends Error {}

/** The agent's prompt is too long for its window. The cause is the agent's own error or message. */
class TooLongForAgent extends Error {
  constructor(cause: unknown) {
    super('The prompt is too long', { cause });
  }
}

/** The promise's result. Stops waiting when the signal aborts or the time is up, because an agent may never answer. */
async function waitFor<T>(
  promise: PromiseLike<T>,
  { signal, timeoutMs }: { signal?: AbortSignal; timeoutMs?: number },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let abort: () => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    if (timeoutMs === undefined) return;
    timer = setTimeout(() => reject(new WaitTimeout(`Nothing within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([interrupted, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
