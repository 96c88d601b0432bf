/**
 * Counts the turns of one chain of conversation, keeps the sums of its context, and throws at the restart line.
 * Sub-agents with their own context get their own processor. Every method is synchronous, and a turn counts fully or
 * not at all. A failed report is only logged; a refused count and the restart line throw.
 */

import { findModelWindow } from '../../../core/accounting/model-table';
import { stateOf } from '../../../core/accounting/state';
import {
  DEFAULT_THRESHOLDS,
  DWARFING_CACHE,
  HIGHEST_LINE,
  isNever,
} from '../../../core/accounting/thresholds';
import type { PressureState } from '../../../core/accounting/types';
import type { LensName } from '../../../core/protocol/items';
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import { createLensDeclaration, createReport, guardLogger } from '../guard';
import type { Logger } from '../logger';
import { hintRenamed, readByOldNames, takeOldNames } from '../old-names';
import { showFigures } from '../show-figures';
import { advisorTurns } from './advisor-turns';
import { CallLedger, type Taken } from './call-ledger';
import { type ClientBoundary, readClientBoundary, reportBoundary } from './client-boundary';
import { ContextPressureError, ContextUsage, DEFAULT_LIMIT, formatPercent } from './context-usage';
import { findUsage } from './find-usage';
import type { LimitSource, TurnFacts, TurnOutcome, UsageProcessorOptions } from './processor-types';
import { statedOf } from './read-field';
import {
  createEventJoiner,
  isOfOneCall,
  isOfTurn,
  isReport,
  readCall,
  readSession,
  readSteps,
  readThreadTotal,
  readWindow,
  roleOf,
} from './read-origin';
import { countsOf, isUsage, readUsage, type TurnUsage, type UsageCounts, unknownFields } from './read-usage';
import { shareCalls } from './shared-calls';
import { requireSize, UsageCountError } from './usage-count-error';
import type { ReportedTurn, UsageSession } from './usage-session';

/** Share of the limit at which a context ends: 180 000 of 200 000 tokens. */
export const DEFAULT_RESTART_LINE = DEFAULT_THRESHOLDS.restartLine;
/** @deprecated Use `DEFAULT_RESTART_LINE`. @hidden */
export const DEFAULT_RESTART_THRESHOLD = DEFAULT_RESTART_LINE;

const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;

const ASSUMED_LENS =
  'A usage of unknown origin is read as a turn of several calls, and no sum includes its cache traffic, so the pressure ' +
  "may be far too low; set lens: 'snapshot' if each usage covers a single call, or lens: 'cumulative' if it does not";

const OPTIONS =
  /* @__PURE__ */ 'usage limit restartLine lens sessionId model runningTotals session logger vendor'.split(
    ' ',
  );

/**
 * Counts the turns of one chain of conversation, and throws `ContextPressureError` at the restart line. Takes the
 * usage of any vendor. A turn without usage disables tracking until the next context.
 */
export class UsageProcessor {
  /** Sums of the context. */
  readonly usage: ContextUsage;
  /** Share of the limit at which `process` throws. */
  readonly restartLine: number;
  /** The agent's id of the session; empty if unknown. */
  sessionId: string;
  readonly #options: UsageProcessorOptions;
  readonly #logger: Logger;
  readonly #send: (report: (session: UsageSession) => unknown) => void;
  readonly #share: ReturnType<typeof shareCalls>;
  readonly #declareLens: (lens: LensName) => void;
  readonly #ledger = new CallLedger();
  readonly #joinEvents = createEventJoiner();
  /** The model without a known window that the log names; null: no model. */
  #warnedOf: string | null | undefined;
  #lens: LensName | undefined;
  /** A usage of unknown origin determined the lens, and no warning has named that yet. */
  #isLensAssumed = false;
  #alias: string | undefined;
  /** The thread's totals after the last turn, if the vendor reports totals. */
  #totals: UsageCounts | null = null;
  /** The total that the last line of a Codex rollout stated. */
  #threadTotal: unknown;
  #model: string | undefined;
  /** The window that the client reported last, tokens. */
  #stated: number | undefined;
  /** The client's id of its last compaction. */
  #boundary: string | undefined;
  /** The last reading of this context, tokens. */
  #contextTokens: number | null = null;

  /**
   * @throws RangeError for a limit that is not a whole number, a restart line that is not above 0 and at most 2, or an
   * unknown lens; UnknownSettingError for an unknown option, naming the nearest one.
   */
  constructor(given: UsageProcessorOptions = {}) {
    const options = takeOldNames('UsageProcessor', given, { threshold: 'restartLine' });
    refuseUnknownSettings(options, OPTIONS);
    const { restartLine = DEFAULT_RESTART_LINE, limit, lens, sessionId } = options;
    if (!(typeof restartLine === 'number' && restartLine > 0 && restartLine <= HIGHEST_LINE)) {
      const range = 'above 0, as in 0.9; a share above 1, up to 2, is never reached';
      throw new RangeError(`"restartLine" must be a share of the limit ${range}, not ${String(restartLine)}`);
    }
    if (limit !== undefined && !Number.isSafeInteger(limit)) {
      throw new RangeError('"limit" must be a whole number of tokens');
    }
    if (lens !== undefined && lens !== 'cumulative' && lens !== 'snapshot') {
      throw new RangeError(`"lens" must be cumulative or snapshot, not ${String(lens)}`);
    }
    this.#logger = guardLogger(options.logger);
    this.#send = createReport(options.session, this.#logger, 'A turn could not be reported');
    this.#share = shareCalls(options.session, 'loop');
    this.usage = options.usage ?? new ContextUsage({ sessionId, logger: this.#logger });
    this.restartLine = restartLine;
    this.#lens = lens;
    this.#declareLens = createLensDeclaration(this.#send);
    this.sessionId = sessionId ?? '';
    this.#options = options;
    this.#model = options.model;
    showFigures(this);
  }

  /** The given lens, or the lens that the first usage determined; `cumulative` before the first usage. */
  get lens(): LensName {
    return this.#lens ?? 'cumulative';
  }

  /** The current context window in tokens: the given one, else the client's, else the model's, else 200 000. */
  get limit(): number {
    return this.#options.limit ?? this.#stated ?? this.#tableLimit ?? DEFAULT_LIMIT;
  }

  /**
   * Where the limit is from: `given` in the options, stated by the `client`, the dated `table` of models, or `assumed`,
   * because the window of the model is unknown.
   */
  get limitSource(): LimitSource {
    if (this.#options.limit !== undefined) return 'given';
    if (this.#stated !== undefined) return 'client';
    return this.#tableLimit === null ? 'assumed' : 'table';
  }

  get #tableLimit(): number | null {
    return this.#model === undefined ? null : (findModelWindow(this.#model)?.tokens ?? null);
  }

  /** Share of the limit in use, 0.0 to ∞; 0 while tracking is disabled, and before the first reading. */
  get pressure(): number {
    if (this.lens === 'cumulative') return this.usage.pressure(this.limit);
    return this.limit > 0 ? (this.#contextTokens ?? 0) / this.limit : 0;
  }

  /** @deprecated Use `pressure`. @hidden */
  get pressureRatio(): number {
    hintRenamed('UsageProcessor', 'pressureRatio', 'pressure');
    return this.pressure;
  }

  /** @deprecated Use `restartLine`. @hidden */
  get threshold(): number {
    hintRenamed('UsageProcessor', 'threshold', 'restartLine');
    return this.restartLine;
  }

  /** `untracked` and `unknown`: a pressure of 0 is meaningless. */
  get state(): PressureState {
    if (this.lens === 'snapshot' && this.#contextTokens === null) return 'unknown';
    if (this.lens === 'cumulative' && !this.usage.isTrackingEnabled()) return 'untracked';
    return stateOf(this.pressure, DEFAULT_THRESHOLDS);
  }

  /** The state of the context, for `JSON.stringify` and logs. */
  toJSON() {
    const { sessionId, restartLine, lens, limit, limitSource, pressure, state } = this;
    return { sessionId, lens, ...this.#sums(), limit, limitSource, restartLine, pressure, state };
  }

  /**
   * Counts one message. Messages that report no usage change nothing, and neither do messages of sub-agents. Several
   * messages of one call count once. A result counts only what the messages of its calls have not counted. Each step of
   * a result of the AI SDK counts as a call, and the outcome is that of the last step. A message about a compaction or a
   * clear of Claude starts a new context, and the session gets it.
   * @param message a message of an agent, a response of a provider, or its usage, in any shape that `readUsage` takes;
   * null: the vendor reported no usage. This disables tracking for the rest of the context, like a result or a response
   * without usage.
   * @param facts what the message does not state. The client's session id, the call's id and the model are taken from
   * the message if it has them.
   * @throws ContextPressureError with the context's sums when the pressure reaches the restart line.
   * @throws UsageCountError for a count that is not an exact whole number or makes a sum inexact, and for an invalid
   * size. Such a turn is not part of any sum.
   */
  process(message: unknown, facts: TurnFacts = {}): TurnOutcome {
    const steps = readSteps(message);
    return steps === null ? this.#take(this.#joinEvents(message), facts) : this.#takeSteps(steps, facts);
  }

  /** All steps count, although an earlier one may reach the restart line or have an invalid count. */
  #takeSteps(steps: readonly unknown[], facts: TurnFacts): TurnOutcome {
    const { call: _, request: __, contextTokens: ___, basis: ____, ...shared } = facts;
    let outcome = this.#outcome(null);
    let failure: { error: unknown } | null = null;
    for (const [at, step] of steps.entries()) {
      try {
        outcome = this.#take(step, at === steps.length - 1 ? facts : shared);
      } catch (error) {
        failure = { error };
      }
    }
    if (failure !== null) throw failure.error;
    return outcome;
  }

  #take(message: unknown, facts: TurnFacts): TurnOutcome {
    this.#join(message);
    this.note(facts);
    const boundary = readClientBoundary(message);
    if (boundary !== null) this.#cross(boundary);
    const total = readThreadTotal(message);
    const isRepeated = total !== undefined && total === this.#threadTotal;
    this.#threadTotal = total ?? this.#threadTotal;
    if (isRepeated || !isReport(message)) return this.#outcome(null);
    const usage = this.#orGap(() => {
      requireSize(facts.contextTokens, 'contextTokens');
      return this.#read(message);
    });
    const isCall = usage !== null && this.#options.runningTotals !== true && isOfOneCall(message, usage);
    const known = isCall ? readCall(message) : {};
    if (this.#options.model === undefined) this.note({ model: facts.model ?? known.model });
    const { call = known.call, request = known.request } = facts;
    const isSide = facts.scope === 'side';
    const report = {
      call: call && `${this.sessionId} ${call}`,
      usage,
      role: isSide ? null : roleOf(message),
    };
    const taken = this.#ledger.take(report);
    const advisors = advisorTurns(message, call, this.#ledger);
    if (taken === null) {
      this.#sendTurns(advisors);
      return this.#outcome(null);
    }
    if (!isSide && usage !== null) {
      if (this.#lens === undefined) this.#isLensAssumed = !isOfTurn(message) && !this.#options.runningTotals;
      this.#lens ??= isCall || facts.contextTokens !== undefined ? 'snapshot' : 'cumulative';
      this.#declareLens(this.#lens);
    }
    if (!isSide) this.#count(taken, facts, message);
    this.#report(taken.usage, { ...facts, request, call: taken.call?.slice(this.sessionId.length + 1) });
    this.#sendTurns(advisors);
    const { pressure, sessionId } = this;
    if (!isSide && !isNever(this.restartLine) && pressure >= this.restartLine) {
      throw new ContextPressureError({ sessionId, ...this.#sums(), pressure });
    }
    return this.#outcome(taken.usage);
  }

  /** Takes over the session id, model and limit of a message without usage. */
  note({ sessionId, model, limit }: TurnFacts): void {
    if (sessionId !== undefined) this.sessionId = sessionId;
    if (model !== undefined) this.#model = model;
    if (limit !== undefined && Number.isSafeInteger(limit) && limit > 0) this.#stated = limit;
  }

  /**
   * Starts a new context: sums start at 0, and no reading is known.
   * @param options each has a default.
   * @param options.continuation number of the continuation, from 1: for the log.
   * @param options.sameThread the client compacted its context in place: running totals continue.
   */
  reset(options: { continuation?: number | undefined; sameThread?: boolean | undefined } = {}): void {
    this.usage.reset({ continuation: options.continuation });
    this.#ledger.startContext();
    this.#contextTokens = null;
    if (options.sameThread !== true) this.#totals = null;
  }

  /** The client itself ended its context. A repeated message of a boundary changes nothing. */
  #cross(boundary: ClientBoundary): void {
    const id = boundary.kind === 'compaction' ? boundary.id : undefined;
    if (id !== undefined && id === this.#boundary) return;
    this.#boundary = id;
    this.reset({ sameThread: boundary.kind === 'compaction' });
    this.#send((session) => reportBoundary(session, boundary));
  }

  #join(message: unknown): void {
    const { sessionId: clientSessionId, client } = readSession(message);
    this.note({ sessionId: clientSessionId, limit: readWindow(message) });
    if (client === undefined || clientSessionId === undefined || clientSessionId === this.#alias) return;
    this.#alias = clientSessionId;
    this.#send((session) => session.alias?.({ client, clientSessionId }));
  }

  #read(message: unknown): TurnUsage | null {
    const usage = readUsage(message, { vendor: this.#options.vendor });
    if (usage === null || this.#options.runningTotals !== true) return usage;
    const last = this.#totals;
    this.#totals = usage;
    // Totals that fell belong to a new thread, so they count in full.
    if (last === null || COUNTS.some((count) => usage[count] < last[count])) return usage;
    return { ...usage, ...Object.fromEntries(COUNTS.map((count) => [count, usage[count] - last[count]])) };
  }

  #count({ usage, added }: Omit<Taken, 'call'>, facts: TurnFacts, message: unknown): void {
    const { sessionId } = this;
    this.#contextTokens = this.#readingOf(usage, facts) ?? this.#contextTokens;
    if (added === null) {
      // Warns once per context, because the next turns probably have no usage either.
      const level = this.usage.isTrackingEnabled() ? 'warn' : 'debug';
      const unknown = unknownFields(isUsage(message) ? message : findUsage(message));
      const cause =
        unknown === null ? 'A result message has no usage' : `A usage has only unknown fields (${unknown})`;
      this.#logger[level](`${cause}: context tracking disabled`, { sessionId });
      this.usage.disableTracking();
      return;
    }
    if (this.usage.enableTracking()) {
      this.#logger.info('A result message has usage again: context tracking enabled', { sessionId });
    }
    this.#orGap(() => this.usage.addTurn(added));
    this.#warnOfAssumption(added);
    const { limit, pressure } = this;
    this.#logger.debug(`Context usage: ${formatPercent(pressure)} of ${limit} tokens`, {
      sessionId,
      turn: added,
      cumulative: this.#sums(),
      limit,
      pressure,
    });
  }

  /** Warns once for each unknown model, and once of an assumed lens if the sums lack most of the prompts. */
  #warnOfAssumption({ cacheCreationTokens }: UsageCounts): void {
    const { sessionId } = this;
    const model = this.#model ?? null;
    if (this.limitSource === 'assumed' && this.#warnedOf !== model) {
      this.#warnedOf = model;
      const of = model === null ? 'the model' : `the model "${model}"`;
      const assumed = `The context window of ${of} is unknown, so ${DEFAULT_LIMIT} tokens are assumed`;
      this.#logger.warn(`${assumed}; set "limit"`, { sessionId, limit: DEFAULT_LIMIT });
    }
    const { cacheReadTokens, usedTokens } = this.usage;
    const lacksPrompts = cacheCreationTokens > 0 || cacheReadTokens > DWARFING_CACHE * usedTokens;
    if (!this.#isLensAssumed || this.lens === 'snapshot' || !lacksPrompts) return;
    this.#isLensAssumed = false;
    this.#logger.warn(ASSUMED_LENS, { sessionId });
  }

  #readingOf(usage: TurnUsage | null, { contextTokens }: TurnFacts): number | null {
    if (contextTokens !== undefined) return contextTokens;
    return this.lens === 'snapshot' ? (usage?.contextTokens ?? null) : null;
  }

  #outcome(usage: TurnUsage | null): TurnOutcome {
    const { limit, limitSource, pressure, state } = this;
    const outcome = { usage, ...this.#sums(), limit, limitSource, pressure, state };
    return readByOldNames('TurnOutcome', outcome, { pressureRatio: 'pressure' });
  }

  #sums() {
    const { inputTokens, outputTokens, cacheReadTokens } = this.usage;
    return { inputTokens, outputTokens, cacheReadTokens };
  }

  #report(usage: TurnUsage | null, facts: TurnFacts): void {
    const { request, scope, basis } = facts;
    const call = facts.call && request ? [facts.call, request] : facts.call;
    // An assumed limit is not reported: the server assumes one itself, and marks it.
    const known = this.#options.limit ?? this.#stated ?? -1;
    const limit = known >= 0 ? known : null;
    const contextTokens = this.#readingOf(usage, facts);
    const stated = statedOf({ call, model: this.#model, limit, scope, contextTokens, basis });
    this.#sendTurns([{ usage: usage && countsOf(usage), ...stated }]);
  }

  #sendTurns(turns: readonly ReportedTurn[]): void {
    for (const turn of turns) {
      const news = this.#share(turn);
      if (news !== null) this.#send((session) => session.turn(news));
    }
  }

  /** Reports a refused turn as a gap. The turn is missing from the server's sums too, so they become a lower bound. */
  #orGap<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof UsageCountError) {
        const reason = `${error.code}: ${error.field}`;
        this.#send((session) => session.gap?.({ count: 1, reason }));
      }
      throw error;
    }
  }
}
