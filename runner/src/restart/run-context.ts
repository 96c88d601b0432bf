/**
 * One context of a run. The stream is always closed, whether the agent, the
 * restart line, the owner or an error ends it. Unless the agent ended the stream, the context's signal is aborted. Each
 * context gets a new object, so nothing carries over.
 */
import { estimateTokens } from '../../../core/tokens/estimate-tokens';
import type { RunnerCommand } from '../client/client-types';
import { messageOf } from '../guard';
import { type ClientBoundary, reportBoundary } from '../usage/client-boundary';
import { type ContextPressure, ContextPressureError } from '../usage/context-usage';
import { createDefaultReader } from './claude-reader';
import { countCalls } from './count-calls';
import { isPromptTooLong } from './prompt-too-long';
import type { ContextRecord, MessageFacts, MessageReader } from './restart-types';
import type { Run } from './run';
import { WaitTimeout, waitFor } from './wait-for';

const DEFAULT_STOP_TIMEOUT_MS = 5_000;
/** A full agent that neither sends a message nor ends its stream within this time restarts. */
const SILENCE_MS = 5_000;

/** Why and where the loop ends a context. */
export interface ContextEnd extends Pick<ContextPressure, 'sessionId' | 'pressure'> {
  by: Exclude<ContextRecord['endedBy'], 'agent'>;
  /** The run ends too. */
  stops: boolean;
}

export class AgentContext<Message> {
  sessionId: string | null = null;
  /** Messages with a usage of the main chain. */
  turns = 0;
  /** The first turn was already at the line. */
  beganFull = false;
  /** The context is full, and the next message decides: a message means that the agent goes on. */
  #full: ContextPressureError | null = null;
  /** The command `compact` that the client carries out. */
  #compacting: RunnerCommand | null = null;
  /** Tokens that the next call adds to the context. */
  #added = 0;
  /** Closes the call that the agent is assumed to make. */
  #closeCall: () => void = () => undefined;
  /** The agent states its calls itself. */
  #statesCalls = false;
  readonly #run: Run<Message>;
  readonly #read: MessageReader<Message>;

  constructor(
    run: Run<Message>,
    readonly continuation: number,
  ) {
    this.#run = run;
    const { agent, lens = agent.lens } = run.options;
    this.#read = agent.createReader?.() ?? createDefaultReader(lens);
  }

  /** Yields the agent's messages. @returns why the loop ended the context; null: the agent finished. */
  async *stream(prompt: string): AsyncGenerator<Message, ContextEnd | null, undefined> {
    const { options, signal } = this.#run;
    const { continuation } = this;
    const { agent } = options;
    let controller = new AbortController();
    const { report } = this.#run;
    const openCall = (estimate: () => number, chain?: string) => {
      this.#statesCalls = true;
      this.#closeCall();
      return this.#run.openCall(estimate, chain);
    };
    const openContext = () => {
      controller = new AbortController();
      return { continuation, report, openCall, signal: AbortSignal.any([signal, controller.signal]) };
    };
    let iterator: AsyncIterator<Message> | null = null;
    let hasEnded = false;
    let reason: unknown = new Error('The context has ended');
    try {
      this.#assumeCall(estimateTokens(prompt));
      const starting = Promise.resolve().then(() => agent.start(prompt, openContext()));
      iterator = (await this.#ofAgent(starting))[Symbol.asyncIterator]();
      while (true) {
        const next = await this.#ofAgent(iterator.next());
        if (next.done === true) {
          hasEnded = true;
          this.#closeCall();
          return null;
        }
        const facts = this.#read(next.value);
        const full = this.#take(next.value, facts);
        if (facts.isHidden !== true) {
          await options.onMessage?.(next.value, { continuation, sessionId: this.sessionId });
          yield next.value;
        }
        if (full !== null) throw full;
        const compacts = await this.#obey(next.value, facts);
        if (!compacts || agent.compact === undefined) continue;
        this.#countRest();
        await this.#close(iterator, controller, new Error('The client compacts the context'));
        iterator = agent.compact(this.sessionId ?? '', openContext())[Symbol.asyncIterator]();
      }
    } catch (error) {
      // A call that failed costs nothing; the provider may bill one that was cancelled.
      if (!signal.aborted) this.#closeCall();
      // An agent that keeps its own sums throws a pressure error too.
      const isPressure = error instanceof ContextPressureError;
      if (!isPressure && !(error instanceof ContextFull)) {
        reason = error;
        throw error;
      }
      reason = isPressure ? error : error.cause;
      const { sessionId, pressure } = isPressure ? error : this.#run.processor;
      const stops = !isPressure && error.stops;
      return { by: isPressure ? 'pressure' : error.by, stops, sessionId, pressure };
    } finally {
      this.#countRest();
      this.#settleCompaction('refused');
      if (!hasEnded) await this.#close(iterator, controller, reason);
    }
  }

  /** Counts a call that the agent has made, although its stream ended before the call's tools ran. */
  #countRest(): void {
    const { usage, goesOn: _, ...facts } = this.#read.rest?.() ?? {};
    if (usage !== undefined) countCalls(this.#run, [{ ...facts, usage }]);
  }

  #settleCompaction(state: 'done' | 'refused'): void {
    const command = this.#compacting;
    this.#compacting = null;
    const reason = state === 'done' ? undefined : 'the client did not compact';
    if (command !== null) this.#run.commands.settle(command, state, reason);
  }

  /** Carries out the waiting commands. @returns whether the client compacts now. @throws ContextFull if one ends the context */
  async #obey(message: Message, { goesOn, usage }: MessageFacts): Promise<boolean> {
    const { commands, options, checkpoint } = this.#run;
    const { agent } = options;
    const sessionId = this.sessionId ?? '';
    // Further commands wait for the boundary, or for the first call in a context that was not compacted.
    if (this.#compacting !== null && usage === undefined) return false;
    this.#settleCompaction('refused');
    // After its last message, the agent needs no restart and reads no message.
    if (goesOn === false) return false;
    for (let command = commands.next(); command !== undefined; command = commands.next()) {
      const { action, text = '' } = command;
      try {
        if (action === 'compact' && agent.compact !== undefined) {
          this.#compacting = command;
          return true;
        }
        if (action === 'say' && agent.say !== undefined) agent.say(sessionId, text);
        else if (action === 'checkpoint' && agent.answersWhileRunning === true) {
          if (!(await checkpoint(sessionId, this.continuation)))
            throw new Error('the agent wrote no checkpoint');
        } else if (action === 'restart' || action === 'stop') {
          commands.settle(command, 'done');
          throw new ContextFull('command', message, action === 'stop');
        } else throw new Error(`this agent cannot carry out ${action}`);
        commands.settle(command, 'done');
      } catch (error) {
        if (error instanceof ContextFull || this.#run.signal.aborted) throw error;
        commands.settle(command, 'refused', messageOf(error));
      }
    }
    return false;
  }

  /** Waits for the agent. Its errors are known to be its own: an owner's callback may throw the same error. */
  async #ofAgent<T>(step: PromiseLike<T>): Promise<T> {
    const { signal } = this.#run;
    const full = this.#full;
    try {
      return await waitFor(step, full === null ? { signal } : { signal, timeoutMs: SILENCE_MS });
    } catch (error) {
      if (full !== null && error instanceof WaitTimeout) throw full;
      throw !signal.aborted && isPromptTooLong(error) ? new ContextFull('prompt_too_long', error) : error;
    }
  }

  /** @returns why the context ends now; null: it goes on, or the next message decides. */
  #take(message: Message, stated: MessageFacts): ContextPressureError | ContextFull | null {
    const { processor, result } = this.#run;
    const { usage, isResult, goesOn, boundary, isTooLong, isHidden, assumes, calls, addedTokens, ...facts } =
      stated;
    const { sessionId, chain } = facts;
    const earlier = this.#full;
    this.#full = null;
    if (assumes !== undefined) this.#warnAssumed(assumes);
    if (isHidden !== true) result.lastMessage = message;
    if (isResult ?? usage !== undefined) result.lastResult = message;
    if (sessionId !== undefined && sessionId !== this.sessionId) this.#rename(sessionId);
    if (usage === undefined) processor.note(facts);
    else if (chain === undefined) {
      this.turns += 1;
      this.#added = 0;
    }
    this.#added += addedTokens ?? 0;
    const isTurn = isResult === true && this.#run.options.agent.createReader === undefined;
    const own = usage === undefined ? [] : [{ ...facts, usage, isTurn }];
    const pressure = countCalls(this.#run, [...(calls ?? []), ...own]);
    this.#noteProgress(stated);
    if (pressure !== null && this.turns === 1) this.beganFull = true;
    if (isTooLong === true) return new ContextFull('prompt_too_long', message);
    if (boundary !== undefined) this.#startContext(boundary);
    if (boundary !== undefined || goesOn === false) return null;
    const isSure = earlier !== null || goesOn === true;
    if (isSure && (pressure ?? earlier) !== null) return pressure ?? earlier;
    if (this.#added > 0 && processor.lens === 'snapshot') {
      const { limit, pressure } = processor;
      if (pressure + this.#added / limit >= 1) return new ContextFull('forecast', message);
    }
    if (!isSure) this.#full = pressure;
    return null;
  }

  /** A message with usage answers a call, and an agent that goes on then makes its next call. */
  #noteProgress({ usage, goesOn, isResult, contextTokens = 0 }: MessageFacts): void {
    if (usage === undefined && isResult !== true) return;
    this.#closeCall();
    if (goesOn ?? isResult !== true) this.#assumeCall(contextTokens + this.#added);
  }

  #assumeCall(tokens: number): void {
    if (!this.#statesCalls) this.#closeCall = this.#run.openCall(() => tokens);
  }

  /** The client itself ended its context. */
  #startContext(boundary: ClientBoundary): void {
    const { processor, send } = this.#run;
    processor.reset({ sameThread: boundary.kind === 'compaction' });
    if (boundary.kind === 'compaction') this.#settleCompaction('done');
    send((session) => reportBoundary(session, boundary));
  }

  #warnAssumed(what: string): void {
    const { options, logger, name, warned } = this.#run;
    if (warned.has(what) || (options.lens ?? options.agent.lens) !== undefined) return;
    warned.add(what);
    logger.warn(`${name}: ${what}`);
  }

  #rename(sessionId: string): void {
    const { options, processor, result, send, logger, name } = this.#run;
    if (sessionId === result.contexts.at(-1)?.sessionId) {
      logger.warn(`${name}: the agent continued session ${sessionId} instead of starting a fresh one`);
    }
    this.sessionId = sessionId;
    processor.sessionId = sessionId;
    const { client } = options.agent;
    if (client !== undefined) send((session) => session.alias?.({ client, clientSessionId: sessionId }));
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

/**
 * The next prompt is or would be too long for the window, or an operator ends the context. The cause is the agent's own
 * error or message.
 */
class ContextFull extends Error {
  constructor(
    readonly by: Exclude<ContextEnd['by'], 'pressure'>,
    cause: unknown,
    readonly stops = false,
  ) {
    super('The context ends', { cause });
  }
}
