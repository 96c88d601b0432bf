/**
 * One context of a run, from the start of its stream to its end. Owns the stream: however the context ends
 * (by the agent, at the threshold, by the owner, by an error), the stream is closed and its signal aborted
 * unless it ended by itself. A new one is made for each context, so nothing carries over.
 */

import type { Logger } from '../logger';
import { ContextPressureError } from '../usage/context-usage';
import { UsageCountError } from '../usage/usage-count-error';
import type { UsageProcessor } from '../usage/usage-processor';
import { endStream, untilAborted } from './end-stream';
import { readAgentMessage } from './read-agent-message';
import type { Agent, MessageFacts, MessageReader, RestartSession, RunPlace } from './restart-types';

export interface ContextParts<Message> {
  agent: Agent<Message>;
  processor: UsageProcessor;
  /** Reports to the server, if there is one. Never throws. */
  report: (send: (session: RestartSession) => unknown) => void;
  logger: Logger;
  name: string;
  stopTimeoutMs: number;
  signal: AbortSignal | undefined;
  onMessage: ((message: Message, place: RunPlace) => void | Promise<void>) | undefined;
}

export class AgentContext<Message> {
  sessionId: string | null = null;
  lastMessage: Message | undefined;
  lastResult: Message | undefined;
  readonly #parts: ContextParts<Message>;
  readonly #read: MessageReader<Message>;

  constructor(
    readonly continuation: number,
    /** Of the context before it, which this one must not go on with. */
    private readonly previousSessionId: string | null,
    parts: ContextParts<Message>,
  ) {
    this.#parts = parts;
    this.#read = parts.agent.createReader?.() ?? readAgentMessage;
  }

  /**
   * Yields the agent's messages.
   * @returns the pressure that ended it; null: the agent finished.
   */
  async *run(prompt: string): AsyncGenerator<Message, ContextPressureError | null, undefined> {
    const { agent, signal } = this.#parts;
    const controller = new AbortController();
    const either = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
    let iterator: AsyncIterator<Message> | null = null;
    let hasEnded = false;
    let reason: unknown = new Error('The context has ended');
    try {
      const { continuation } = this;
      const starting = Promise.resolve().then(() => agent.start(prompt, { continuation, signal: either }));
      iterator = (await untilAborted(starting, signal))[Symbol.asyncIterator]();
      while (true) {
        const next = await untilAborted(iterator.next(), signal);
        if (next.done === true) {
          hasEnded = true;
          return null;
        }
        const pressure = this.#take(next.value);
        await this.#parts.onMessage?.(next.value, { continuation, sessionId: this.sessionId });
        yield next.value;
        if (pressure !== null) {
          reason = pressure;
          return pressure;
        }
      }
    } catch (error) {
      reason = error;
      // Agents that keep the sums themselves raise it there.
      if (error instanceof ContextPressureError) return error;
      throw error;
    } finally {
      if (!hasEnded) await this.#end(iterator, controller, reason);
    }
  }

  #take(message: Message): ContextPressureError | null {
    const { processor } = this.#parts;
    const { usage, isResult, goesOn, boundary, sessionId, ...facts } = this.#read(message);
    this.lastMessage = message;
    if (isResult ?? usage !== undefined) this.lastResult = message;
    if (sessionId !== undefined && sessionId !== this.sessionId) this.#rename(sessionId);
    let pressure: ContextPressureError | null = null;
    if (usage === undefined) processor.note(facts);
    else pressure = this.#count(usage, facts);
    if (boundary !== undefined) {
      processor.reset({ sameThread: boundary.kind === 'compaction' });
      this.#parts.report((session) => {
        if (boundary.kind === 'clear') return session.clear?.({});
        const { kind: _, id, ...compaction } = boundary;
        return session.compaction?.({ ...compaction, state: 'confirmed', boundary: id });
      });
    }
    return goesOn === false || boundary !== undefined ? null : pressure;
  }

  #rename(sessionId: string): void {
    const { agent, processor, report, logger, name } = this.#parts;
    if (sessionId === this.previousSessionId) {
      logger.warn(`${name}: the agent went on in session ${sessionId} instead of a fresh one`);
    }
    this.sessionId = sessionId;
    processor.sessionId = sessionId;
    const { client } = agent;
    if (client !== undefined) report((session) => session.alias?.({ client, clientSessionId: sessionId }));
  }

  #count(usage: unknown, facts: Omit<MessageFacts, 'usage'>): ContextPressureError | null {
    const { processor, logger, name } = this.#parts;
    try {
      // As a usage, not as a message: null is its answer.
      processor.process({ usage }, facts);
    } catch (error) {
      if (error instanceof ContextPressureError) return error;
      // A vendor's odd figure is no reason to end an agent's work; the turn is in no sum.
      if (!(error instanceof UsageCountError)) throw error;
      logger.warn(`${name}: a turn could not be counted: ${error.message}`, { sessionId: this.sessionId });
    }
    return null;
  }

  async #end(
    iterator: AsyncIterator<Message> | null,
    controller: AbortController,
    reason: unknown,
  ): Promise<void> {
    const { logger, name, stopTimeoutMs } = this.#parts;
    const problem = await endStream(iterator, controller, reason, stopTimeoutMs);
    if (problem !== null) {
      logger.debug(`${name}: the agent's stream did not close cleanly`, { error: problem });
    }
  }
}
