/**
 * Settles calls: what a call showed becomes a turn for the session and, for a main call, the snapshot.
 *
 * Owns which calls may still be completed by asking for their response again: those in the background, and
 * those with a broken stream, which are reported without usage at first. They are kept by response id, the
 * oldest giving way, so a process that lives for months does not grow. Nothing here throws into the agent's work.
 */
import type { ReadingBasis, Usage } from '../../../core/protocol/items';
import { guard, guardLogger } from '../guard';
import { type Logger, silentLogger } from '../logger';
import { statedOf } from '../usage/read-field';
import { type CallRecord, estimateCall, isInProgress } from './call-record';
import type { ContextSnapshot } from './context-snapshot';
import type { CallScope } from './openai-types';

const MAX_OPEN_RESPONSES = 1_000;
const MAX_REMEMBERED_IDS = 1_000;
/** `chatcmpl-417`: Ollama draws one of 999 numbers, so ids repeat within a session. */
const REPEATING_ID = /^(?:\D*[-_])?\d{1,4}$/;

/** A reported turn, as `RunnerSession.turn` takes it. */
export interface SnapshotTurn {
  /** The response's id; absent where the server's ids are not unique. */
  call?: string;
  model?: string;
  scope: CallScope;
  chain?: string;
  /** The context window in tokens, where the owner stated it. */
  limit?: number;
  /** What the call spent; null: the provider stated no usage. */
  usage: Usage | null;
  /** Size of the context after a main call, tokens. */
  contextTokens?: number;
  basis?: ReadingBasis;
}

/** Where turns go: a `RunnerSession`, or anything that takes them. */
export interface SnapshotSession {
  /** Takes what one call spent, and the context's size after it. */
  turn(turn: SnapshotTurn): unknown;
}

export interface CallReporterOptions {
  session: SnapshotSession | null;
  snapshot: ContextSnapshot;
  chain: string | null;
  estimates: boolean;
  logger?: Logger | undefined;
}

export class CallReporter {
  readonly snapshot: ContextSnapshot;
  readonly #options: CallReporterOptions;
  readonly #logger: Logger;
  readonly #open = new Map<string, CallRecord>();
  readonly #ids = new Set<string>();

  constructor(options: CallReporterOptions) {
    this.#options = options;
    this.snapshot = options.snapshot;
    this.#logger = guardLogger(options.logger ?? silentLogger);
  }

  /** The call whose response is asked for again; null: it is settled, or not ours. */
  followUp(responseId: unknown): CallRecord | null {
    return (typeof responseId === 'string' ? this.#open.get(responseId) : undefined) ?? null;
  }

  /** The answer has ended, or is read no further. */
  finish(record: CallRecord): void {
    this.attempt('a call could not be reported', () => this.#settle(record));
  }

  /** Run an action that must not disturb the agent, and log its failure. */
  attempt<T>(failure: string, action: () => T): T | null {
    let outcome: T | null = null;
    guard(
      () => {
        outcome = action();
        return outcome;
      },
      (error) => this.#logger.warn(failure, { error: String(error) }),
    );
    return outcome;
  }

  #settle(record: CallRecord): void {
    if (record.isSettled || !record.hasBegun) return;
    const { call, reading } = record;
    if (reading !== null) {
      record.isSettled = true;
      if (call !== null) this.#open.delete(call);
      this.#report(record);
      return;
    }
    const isAwaited = record.isBackground && isInProgress(record);
    // A response that failed without any content is an error, as one with an error status.
    const isError = record.status === 'failed' && record.answerCharacters === 0;
    if (!isAwaited && !isError && record.reportedAt === null) this.#report(record);
    if (isInProgress(record) || record.api === 'chat') this.#keep(record);
    else this.#drop(record);
  }

  #report(record: CallRecord): void {
    const { chain, session } = this.#options;
    const { snapshot } = this;
    const { scope, model, reading } = record;
    const isLate = record.reportedAt !== null;
    const size = scope === 'main' ? this.#sizeOf(record) : null;
    // A late figure is no news where a later call or a boundary has spoken since.
    if (scope === 'main' && (!isLate || record.reportedAt === snapshot.version)) {
      this.attempt('a reading could not be taken', () =>
        snapshot.record({ tokens: null, basis: 'total', ...size, model }),
      );
    }
    record.reportedAt = snapshot.version;
    if (!isLate) record.key = this.#uniqueId(record.call);
    const limit = this.attempt('the window could not be read', () => snapshot.statedMaxTokens(model));
    const turn: SnapshotTurn = {
      ...statedOf({ call: record.key, model, chain, limit, contextTokens: size?.tokens, basis: size?.basis }),
      scope,
      usage: reading?.usage ?? null,
    };
    if (turn.usage === null) this.#logger.debug('the provider stated no usage', { ...turn });
    this.attempt('a turn could not be handed over', () => session?.turn(turn));
  }

  #sizeOf(record: CallRecord): { tokens: number; basis: ReadingBasis } | null {
    const { reading } = record;
    if (reading !== null) {
      return reading.contextTokens === null ? null : { tokens: reading.contextTokens, basis: reading.basis };
    }
    const tokens = this.#options.estimates ? estimateCall(record) : null;
    return tokens === null ? null : { tokens, basis: 'estimate' };
  }

  /** Some servers draw ids from a small pot: as call keys they would make two calls one. */
  #uniqueId(call: string | null): string | null {
    if (call === null || REPEATING_ID.test(call) || this.#ids.has(call)) return null;
    this.#ids.add(call);
    const [oldest] = this.#ids;
    if (this.#ids.size > MAX_REMEMBERED_IDS && oldest !== undefined) this.#ids.delete(oldest);
    return call;
  }

  #keep(record: CallRecord): void {
    const isKnownById = record.reportedAt === null || record.key !== null;
    if (record.call === null || !isKnownById || !record.isStored) return;
    // Counted now, so that a kept call does not keep its messages.
    record.promptCharacters();
    this.#open.set(record.call, record);
    const [oldest] = this.#open.keys();
    if (this.#open.size <= MAX_OPEN_RESPONSES || oldest === undefined) return;
    this.#logger.warn('a response was never asked for again and is forgotten', { call: oldest });
    this.#open.delete(oldest);
  }

  #drop(record: CallRecord): void {
    record.isSettled = true;
    if (record.call !== null) this.#open.delete(record.call);
  }
}
