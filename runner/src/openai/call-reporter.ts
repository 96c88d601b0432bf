/**
 * Reports each call as a turn of the session, and records each main call in the snapshot. Never throws into the agent's
 * work. Keeps the calls that a retrieved response may still complete: background calls, and calls with a broken stream,
 * which are first reported without usage. Beyond a limit, the oldest kept call is dropped.
 */
import { callsOfAdvisors } from '../../../core/agents/claude-code/message-usage';
import type { ReadingBasis } from '../../../core/protocol/items';
import { createLensDeclaration, createReport, guard, guardLogger } from '../guard';
import type { Logger } from '../logger';
import { statedOf } from '../usage/read-field';
import { isUniqueId } from '../usage/read-origin';
import { countsOf, readCounts } from '../usage/read-usage';
import { shareCalls } from '../usage/shared-calls';
import { ContextSnapshot } from './context-snapshot';
import type { CallScope, SnapshotSession, SnapshotTurn, TrackOptions } from './openai-types';
import { type CallWatch, type FinishedCall, isUsageChunk, TrackedCall } from './tracked-call';

const MAX_OPEN_RESPONSES = 1_000;
const MAX_REMEMBERED_IDS = 1_000;

export class CallReporter {
  readonly snapshot: ContextSnapshot;
  readonly #options: TrackOptions;
  readonly #logger: Logger;
  readonly #send: (report: (session: SnapshotSession) => unknown) => void;
  readonly #share: ReturnType<typeof shareCalls>;
  readonly #declareLens: ReturnType<typeof createLensDeclaration>;
  readonly #open = new Map<string, TrackedCall>();
  readonly #ids = new Set<string>();
  #hasWarned = false;

  constructor(options: TrackOptions) {
    this.#options = options;
    this.snapshot = options.snapshot ?? new ContextSnapshot(options);
    this.#logger = guardLogger(options.logger);
    this.#send = createReport(options.session, this.#logger, 'a turn could not be handed over');
    this.#share = shareCalls(options.session, 'wrapper');
    this.#declareLens = createLensDeclaration(this.#send, options.chain);
  }

  /** The call of a retrieved response; null if the call is already complete or is not tracked. */
  followUp(responseId: unknown): TrackedCall | null {
    return (typeof responseId === 'string' ? this.#open.get(responseId) : undefined) ?? null;
  }

  watch(call: TrackedCall): CallWatch {
    const end = () => {
      this.attempt('a call could not be reported', () => this.#settle(call));
    };
    return {
      see: (value) => {
        if (this.attempt('a response could not be read', () => call.read(value)) === true) end();
        return !(call.hidesUsageChunk && isUsageChunk(value));
      },
      end,
    };
  }

  /** Reports a call that another library made. */
  finish(facts: FinishedCall, scope: CallScope = 'main'): void {
    this.attempt('a call could not be reported', () => {
      const call = new TrackedCall(null, {}, scope, false);
      call.finish(
        facts,
        this.attempt('a usage could not be read', () => facts.read()),
      );
      this.#settle(call);
    });
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

  #settle(call: TrackedCall): void {
    if (call.isSettled || !call.hasStarted) return;
    const isAwaited = call.isBackground && call.isInProgress;
    const isNews = call.reading !== null || (!isAwaited && !call.isError && call.reportedAt === null);
    if (isNews) this.#report(call);
    call.isSettled = call.reading !== null || !call.isInProgress;
    if (!call.isSettled) this.#keep(call);
    else if (call.id !== null) this.#open.delete(call.id);
  }

  #report(call: TrackedCall): void {
    const { chain } = this.#options;
    const { snapshot } = this;
    const { scope, model, reading } = call;
    const isLate = call.reportedAt !== null;
    this.#declareLens('snapshot');
    if (!isLate) call.key = this.#uniqueId(call.id);
    if (!isLate && scope === 'main' && call.hasCompacted) this.#reportCompaction(call);
    const size = scope === 'main' ? this.#sizeOf(call) : null;
    // A late reading is outdated after a later call or a boundary.
    if (scope === 'main' && (!isLate || call.reportedAt === snapshot.version)) {
      this.attempt('a reading could not be taken', () =>
        snapshot.record({ tokens: null, basis: 'total', ...size, model }),
      );
    }
    call.reportedAt = snapshot.version;
    const limit = this.attempt('the window could not be read', () => snapshot.statedLimit(model));
    const stated = { call: call.key, model, chain, limit, contextTokens: size?.tokens, basis: size?.basis };
    const turn: SnapshotTurn = { ...statedOf(stated), scope, usage: reading?.usage ?? null };
    if (turn.usage === null) this.#logger.debug('the provider reported no usage', { ...turn });
    if (size?.basis === 'estimate') this.#warnOfEstimate(call);
    this.#sendTurn(turn);
    for (const advisor of callsOfAdvisors(call.key, reading?.advisors ?? [])) {
      this.#sendTurn({
        ...statedOf({ call: advisor.call, model: advisor.model, chain }),
        scope: 'side',
        usage: countsOf(readCounts(advisor.usage, 'barograph')),
      });
    }
  }

  #sendTurn(turn: SnapshotTurn): void {
    const news = this.#share(turn);
    if (news !== null) this.#send((session) => session.turn(news));
  }

  /** Warns once, because the next calls probably have no usage either. */
  #warnOfEstimate({ unknownFields, model }: TrackedCall): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const cause =
      unknownFields === null
        ? 'the provider reported no usage'
        : `a usage has only unknown fields (${unknownFields})`;
    this.#logger.warn(`${cause}, so the size of the context is estimated`, { model });
  }

  /** Report the compaction before the turn, because the turn's size is that of the new context. */
  #reportCompaction({ key }: TrackedCall): void {
    this.snapshot.startContext('compaction');
    const known = statedOf({ chain: this.#options.chain, boundary: key });
    this.#send((session) => session.compaction?.({ trigger: 'auto', state: 'confirmed', ...known }));
  }

  #sizeOf(call: TrackedCall): { tokens: number; basis: ReadingBasis } | null {
    const { reading } = call;
    if (reading === null) {
      const { estimates = true } = this.#options;
      if (estimates === false) return null;
      const tokens = call.estimate(estimates === true ? undefined : estimates);
      return tokens === null ? null : { tokens, basis: 'estimate' };
    }
    return reading.contextTokens === null ? null : { tokens: reading.contextTokens, basis: reading.basis };
  }

  /** Null for an id that may repeat: two calls with one key would count once. */
  #uniqueId(id: string | null): string | null {
    if (id === null || !isUniqueId(id) || this.#ids.has(id)) return null;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MAX_REMEMBERED_IDS && oldest !== undefined) this.#ids.delete(oldest);
    return id;
  }

  #keep(call: TrackedCall): void {
    const isKnownById = call.reportedAt === null || call.key !== null;
    if (call.id === null || !isKnownById || !call.isStored) return;
    this.#open.set(call.id, call);
    const [oldest] = this.#open.keys();
    if (this.#open.size <= MAX_OPEN_RESPONSES || oldest === undefined) return;
    this.#logger.warn('a response was never retrieved and is forgotten', { call: oldest });
    this.#open.delete(oldest);
  }
}
