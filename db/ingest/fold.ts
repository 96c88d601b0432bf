/** Folds items in order and writes the results: events, contexts, chains and the session's row. */

import { gapForRefusedTurn } from '../../core/accounting/apply-session';
import { emptyChain, MAIN_CHAIN } from '../../core/accounting/empty-fold';
import { foldItem } from '../../core/accounting/fold';
import type {
  ChainFold,
  ClosedContext,
  ContextFold,
  Correction,
  DerivedTurn,
  FoldContext,
  SessionFold,
} from '../../core/accounting/fold-types';
import { compactionOutcome } from '../../core/accounting/next-boundary';
import { summarizeSession } from '../../core/accounting/summarize-session';
import { silentAfterMs } from '../../core/forecast/silence';
import type { Item } from '../../core/protocol/items';
import { PYRAMID_MIN_TURNS, type PyramidTurn } from '../../core/series/pyramid';
import { callCause, reportCause } from '../codes/hash-item';
import { packReportBits, sourceCode, sourceOf } from '../codes/turn-bits';
import { projectContext } from '../queries/project-settings';
import { refutedLimit, reportersOf, type TurnRow, turnRow } from './columns';
import {
  arrivalsOf,
  chainOf,
  type LockedSession,
  MAX_NUMBER,
  type PlacedCall,
  type PlacedItem,
  type PlacedReport,
  type Refused,
  type SessionPlan,
  timeOf,
} from './types';
import type { Batch, EventAmendment, WriteSet } from './write';

/** Items between two checkpoints. */
export const CHECKPOINT_EVERY = 2_000;

const LIBRARY = 1 << sourceCode('sdk');

export type EventRow = WriteSet['events'][number];

/** One run of the fold over items of a session, with the results. */
export class Folding {
  readonly events: EventRow[] = [];
  /** New details of events that earlier runs wrote, by position and kind. */
  readonly amends = new Map<string, EventAmendment>();
  readonly contexts: WriteSet['contexts'] = [];
  readonly refused = new Map<PlacedItem, Refused>();
  /** The first correction of a limit. The items that the correction affects must be folded again. */
  correction: Correction | null = null;
  /** Effective time of the first item, milliseconds. */
  startedAt: number | null = null;
  /** End of the session; null if it resumed; undefined if no item changed it. */
  endedAt: number | null | undefined;
  /** Figures before each new item of a batch but the first. */
  readonly passing: ReturnType<typeof figuresOf>[] = [];

  /** @param state updated in place @param points collects the points of a pyramid; null: no pyramid */
  constructor(
    readonly sessionId: number,
    readonly state: SessionFold,
    readonly context: FoldContext,
    readonly points: PyramidTurn[] | null,
    readonly numberOf: (chain: string) => number,
  ) {}

  /** Fold one item. In place of a refused call, a gap is folded and returned in `stored`. */
  fold<P extends PlacedItem>(placed: P): { derived: DerivedTurn | null; stored: P | PlacedReport } {
    const { state, numberOf, sessionId } = this;
    const { position } = placed;
    const item = placed.item as Item;
    const backfill = item.type === 'session_start' ? item.backfill === true : state.backfill;
    const { at, clockOff } = timeOf(placed, backfill);
    const source = sourceOf(placed.source);
    const byLibrary = placed.callKey !== null && (reportersOf(placed) & LIBRARY) !== 0;
    const result = foldItem(state, { position, at, clockOff, source, byLibrary, item }, this.context);
    if (!result.ok) {
      const { code, field, reason } = result;
      const { seq, runnerTime } = placed;
      const gap = gapForRefusedTurn({ seq, session: '-', chain: chainOf(item), at: runnerTime }, code);
      this.refused.set(placed, { code, field, reason });
      return this.fold<PlacedReport>({ ...placed, callKey: null, item: gap });
    }
    this.startedAt ??= at;
    this.correction ??= result.corrects;
    if (result.events.length > 0) {
      const { callKey, streamId, seq } = placed;
      const cause = callKey === null ? reportCause(streamId, seq) : callCause(callKey);
      result.events.forEach((event, rank) => {
        this.events.push({ ...event, sessionId, chain: numberOf(event.chain), cause, position, rank });
        if (event.kind === 'session_ended') this.endedAt = event.at;
        if (event.kind === 'session_started') this.endedAt = null;
      });
    }
    if (result.amends) this.amend({ sessionId, ...result.amends });
    if (result.closed) {
      const { chain, context, limit } = result.closed;
      this.contexts.push(contextRow(sessionId, numberOf(chain), context, limit, result.closed));
    }
    if (this.points && result.turn?.chain === MAIN_CHAIN && placed.callKey !== null) {
      const point = pointOf(state, placed, result.turn);
      if (point) this.points.push(point);
    }
    return { derived: result.turn, stored: placed };
  }

  private amend(amendment: EventAmendment): void {
    const { position, kind } = amendment;
    const own = this.events.findLast((event) => event.position === position && event.kind === kind);
    if (own) own.detail = amendment.detail;
    else this.amends.set(`${position} ${kind}`, amendment);
  }
}

/** Returns null for a turn that is not counted and changes no value. */
function pointOf(state: SessionFold, { item }: PlacedCall, turn: DerivedTurn): PyramidTurn | null {
  const { flags, cumulative } = turn;
  const counted = !(flags.inherited || flags.readingOnly);
  const { contextTokens } = item;
  const moves = contextTokens !== undefined && !flags.readingIgnored && turn.usedSnapshot === contextTokens;
  if (!counted && !moves) return null;
  const count = (value: number | undefined) => (counted ? Math.max(0, value ?? 0) : 0);
  return {
    cumulative: turn.usedCumulative,
    snapshot: turn.usedSnapshot,
    point: {
      t: turn.time,
      n: turn.number,
      context: turn.context,
      limit: turn.limit,
      turns: counted ? 1 : 0,
      input: count(item.usage?.input),
      output: count(item.usage?.output),
      cacheRead: count(item.usage?.cacheRead),
      cacheCreation: count(item.usage?.cacheCreation),
      cumulativeInput: cumulative.input,
      cumulativeOutput: cumulative.output,
      cumulativeCacheRead: cumulative.cacheRead,
      estimated: state.chains[MAIN_CHAIN]?.context.reading?.basis === 'estimate',
      untracked: flags.untracked,
    },
  };
}

/** The result of folding new items after the stored ones. */
export interface FoldedTail {
  plan: SessionPlan;
  folding: Folding;
  /** Number of main-chain turns before and after the fold. */
  turnsBefore: number;
  turnCount: number;
  needsCheckpoint: boolean;
}

/**
 * Fold and write new items that follow all stored ones.
 * @returns the position from which to fold again, if the items correct a limit; nothing is written then
 */
export function foldTail(batch: Batch, plan: SessionPlan): FoldedTail | number {
  const { session, next, tail } = plan;
  const { writes } = batch;
  const context = batch.contexts.get(next.projectId) ?? projectContext(null);
  const chains: Record<string, ChainFold> = {};
  for (const { key, fold } of plan.chains.values()) if (fold) chains[key] = fold;
  const turnsBefore = chains[MAIN_CHAIN]?.turnCount ?? 0;
  const folding = new Folding(
    session.id,
    { ...session.fold, chains },
    context,
    turnsBefore > PYRAMID_MIN_TURNS ? [] : null,
    (key) => numberOf(plan, key),
  );
  const folded = tail.map((placed, index) => {
    const { state } = folding;
    if (batch.keepsFigures && index > 0 && !state.backfill)
      folding.passing.push(figuresOf(summarizeSession(state, context.thresholds, next.peers)));
    return folding.fold(placed);
  });
  if (folding.correction) return folding.correction.since;
  const touched = new Set(tail.map(({ item }) => chainOf(item)));
  for (const { stored, derived } of folded) writeItem(batch, plan, stored, derived);
  writes.events.push(...folding.events);
  writes.amendedEvents.push(...folding.amends.values());
  writes.contexts.push(...folding.contexts);
  for (const key of touched) {
    // An alias must not create a chain.
    if (!Object.hasOwn(chains, key)) continue;
    const fold = chains[key] as ChainFold;
    const chain = numberOf(plan, key);
    writes.chains.push({ sessionId: session.id, chain, key, fold });
    writes.contexts.push(contextRow(session.id, chain, fold.context, fold.limit.tokens));
  }
  const items = session.itemsSinceCheckpoint + tail.length;
  const needsCheckpoint = items >= CHECKPOINT_EVERY;
  writeSession(writes, next, folding, {
    ...describe(session, tail),
    startedAt: (session.lastPosition === 0 ? folding.startedAt : null) ?? session.startedAt,
    endedAt: folding.endedAt === undefined ? session.endedAt : folding.endedAt,
    itemsSinceCheckpoint: needsCheckpoint ? 0 : items,
  });
  return { plan, folding, turnsBefore, turnCount: chains[MAIN_CHAIN]?.turnCount ?? 0, needsCheckpoint };
}

/**
 * Write the rows of a session with late items or a corrected limit, without the columns computed by the fold.
 * @param changedFrom the first position that changes
 * @returns the position from which to fold
 */
export function writeLate(batch: Batch, plan: SessionPlan, changedFrom: number): number {
  const { writes } = batch;
  const { session, changed, moved } = plan;
  const sessionId = session.id;
  for (const { position } of moved.values()) writes.removedTurns.push({ sessionId, position });
  for (const { callKey, isRefuted } of [...changed.values(), ...moved.values()])
    if (isRefuted) writes.removedRefutedLimits.push({ sessionId, callKey });
  for (const call of changed.values()) writeItem(batch, plan, call, null, writes.changedTurns);
  for (const placed of [...plan.late, ...plan.tail]) {
    writeItem(batch, plan, placed, null);
    if ('chain' in placed.item) numberOf(plan, chainOf(placed.item));
  }
  for (const { chain, key, fold } of plan.chains.values()) {
    if (!fold) writes.chains.push({ sessionId, chain, key, fold: emptyChain() });
  }
  const rows = [...changed.values(), ...moved.values(), ...plan.tail.slice(0, 1)];
  const from = Math.min(changedFrom, ...rows.map(({ position }) => position));
  writes.historyChanges.push({ sessionId, position: from });
  return from;
}

/** Number of a chain in the session: 0 is `main`, the others follow in order of appearance. */
function numberOf({ chains, next }: SessionPlan, key: string): number {
  const known = chains.get(key);
  if (known) return known.chain;
  const chain = key === MAIN_CHAIN ? 0 : next.chainCount;
  if (chain > MAX_NUMBER) throw new RangeError(`a session has at most ${MAX_NUMBER} chains besides main`);
  if (key !== MAIN_CHAIN) next.chainCount += 1;
  chains.set(key, { chain, key, fold: null });
  return chain;
}

/** Write the row of an item. `derived` is null for a call that waits for a refold. */
function writeItem(
  { models, writes }: Batch,
  plan: SessionPlan,
  placed: PlacedItem,
  derived: DerivedTurn | null,
  into: { push(row: TurnRow): unknown } = writes.turns,
): void {
  const sessionId = plan.session.id;
  if (placed.callKey !== null) {
    const { chain, model } = placed.item;
    const modelId = model === undefined ? null : (models.get(model) ?? null);
    into.push(turnRow(placed, { sessionId, chain: numberOf(plan, chain), modelId }, derived));
    const refuted = refutedLimit(placed, sessionId, derived);
    if (refuted) writes.refutedLimits.push(refuted);
    return;
  }
  writes.reports.push(reportRow(sessionId, placed));
  const { item, streamId, seq, runnerTime: at } = placed;
  const [arrival] = arrivalsOf(placed);
  if (item.type === 'archive' && arrival) {
    writes.archives.push({ session: arrival.publicId, cause: reportCause(streamId, seq), at, item });
  }
  if (item.type === 'command_state') {
    const { command: id, state, reason } = item;
    writes.commands.push({ id, sessionId, state, refusal: reason ?? null });
  }
}

export function reportRow(sessionId: number, placed: PlacedReport): WriteSet['reports'][number] {
  const { position, seq, hash, runnerTime, serverTime, streamId, source, clockAgrees } = placed;
  const { seq: _seq, session: _session, at: _at, ...item } = placed.item;
  const bits = packReportBits(source, clockAgrees);
  return { position, sessionId, seq, hash, runnerTime, serverTime, streamId, bits, item };
}

export function contextRow(
  sessionId: number,
  chain: number,
  context: ContextFold,
  limitTokens: number | null,
  end?: Pick<ClosedContext, 'endedAt' | 'endedBy'>,
): WriteSet['contexts'][number] {
  const { totals, cumulative } = context;
  return {
    sessionId,
    chain,
    index: context.index,
    startedAt: context.startedAt,
    endedAt: end?.endedAt ?? null,
    endedBy: end?.endedBy ?? null,
    turnCount: context.turnCount,
    input: totals.input,
    output: totals.output,
    cacheRead: totals.cacheRead,
    cacheCreation: totals.cacheCreation,
    calls: totals.calls,
    cumulativeInput: cumulative.input,
    cumulativeOutput: cumulative.output,
    cumulativeCacheRead: cumulative.cacheRead,
    firstOccupancy: context.firstOccupancy,
    lastOccupancy: context.lastOccupancy,
    peakOccupancy: context.peakOccupancy,
    limitTokens,
    tracked: context.tracked,
    complete: context.complete,
  };
}

/** Columns set by session_start items. Links are public ids. A later value replaces an earlier one. */
export type Description = Pick<
  LockedSession,
  'title' | 'host' | 'folder' | 'branch' | 'previousId' | 'forkedFromId'
>;

export function describe(before: LockedSession, items: readonly PlacedItem[]): Description {
  let { title, host, folder, branch, previousId, forkedFromId } = before;
  for (const { item } of items) {
    if (item.type !== 'session_start') continue;
    ({ title = title, host = host, folder = folder, branch = branch } = item);
    ({ previous: previousId = previousId, forkedFrom: forkedFromId = forkedFromId } = item);
  }
  return { title, host, folder, branch, previousId, forkedFromId };
}

/** What alerts read of a session besides its description. */
export function figuresOf({ ended, lastTurnAtMs, ...figures }: ReturnType<typeof summarizeSession>) {
  const lastTurnAt = lastTurnAtMs === null ? null : new Date(lastTurnAtMs).toISOString();
  return { ...figures, lastTurnAt, endedAt: ended ? lastTurnAt : null };
}

export function writeSession(
  writes: WriteSet,
  next: LockedSession,
  { state, context, passing }: Pick<Folding, 'state' | 'context' | 'passing'>,
  own: Description & Pick<LockedSession, 'startedAt' | 'endedAt' | 'itemsSinceCheckpoint'>,
): void {
  const { chains: _chains, ...fold } = state;
  // Peaks in history use the session's lens, so a new lens changes every peak.
  if (state.lens !== next.fold.lens) writes.historyChanges.push({ sessionId: next.id, position: 0 });
  const summary = summarizeSession(state, context.thresholds, next.peers);
  const { compactedAt, passed } = compactionOutcome(state);
  const { model, client, clientVersion, backfill, lens, limitSource, used, pressure, turnCount } = summary;
  writes.sessions.push({
    ...next,
    ...own,
    model,
    client,
    clientVersion,
    backfill,
    fold,
    lens,
    limitTokens: summary.limit,
    compactedAtTokens: compactedAt,
    passedTokens: passed,
    limitSource,
    used,
    pressure,
    state: summary.state,
    minutesLeft: summary.nextBoundary?.minutes ?? null,
    silentAfterMs: silentAfterMs(summary),
    turnCount,
    lastTurnAt: summary.lastTurnAtMs,
    recomputeFrom: null,
  });
  writes.checks.push({
    sessionId: next.id,
    publicId: next.publicId,
    projectId: next.projectId,
    runnerId: next.runnerId,
    facts: { ...figuresOf(summary), title: own.title, branch: own.branch },
    passing,
  });
}
