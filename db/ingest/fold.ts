import { gapForRefusedTurn } from '../../core/accounting/apply-session';
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import { foldItem } from '../../core/accounting/fold';
import type {
  ChainFold,
  ClosedContext,
  ContextFold,
  DerivedTurn,
  FoldContext,
  SessionFold,
} from '../../core/accounting/fold-types';
import { summarizeSession } from '../../core/accounting/summarize-session';
import type { Thresholds } from '../../core/accounting/types';
import { silentAfterMs } from '../../core/forecast/silence';
import { sessionId } from '../../core/identity/session-id';
import type { Item } from '../../core/protocol/items';
import type { PyramidTurn } from '../../core/series/pyramid';
import { callCause, reportCause } from '../codes/hash-item';
import { sourceOf } from '../codes/sources';
import { packReportBits } from '../codes/turn-bits';
import { type TurnRow, turnRow } from './columns';
import {
  chainOf,
  isCall,
  type LockedSession,
  MAX_NUMBER,
  type PlacedCall,
  type PlacedItem,
  type PlacedReport,
  type Refused,
  type SessionPlan,
  timeOf,
} from './types';
import type { Batch, EventAmendment, Mark, WriteSet } from './write';

export type EventRow = WriteSet['events'][number];

export interface Folding {
  sessionId: number;
  numberOf(chain: string): number;
  /** Updated in place. */
  state: SessionFold;
  context: FoldContext;
  events: EventRow[];
  /** New details of events that were made before this folding began, by position and kind. */
  amends: Map<string, EventAmendment>;
  contexts: WriteSet['contexts'];
  points: PyramidTurn[];
  refused: Map<PlacedItem, Refused>;
  touched: Set<string>;
  /** Effective time of the first item. */
  startedAt: number | null;
  /** When the session ended, as far as this folding saw; undefined: no item was about it. */
  endedAt: number | null | undefined;
}

export function beginFolding(
  sessionId: number,
  numberOf: Folding['numberOf'],
  state: SessionFold,
  context: { thresholds: Thresholds; owner: number },
): Folding {
  return {
    sessionId,
    numberOf,
    state,
    context: { thresholds: context.thresholds, owner: sourceOf(context.owner) },
    events: [],
    amends: new Map(),
    contexts: [],
    points: [],
    refused: new Map(),
    touched: new Set(),
    startedAt: null,
    endedAt: undefined,
  };
}

/** Fold one item. Of a refused call the state is left as it was, and a gap is folded and to be stored in its place. */
export function foldPlaced<P extends PlacedItem>(
  folding: Folding,
  placed: P,
): { derived: DerivedTurn | null; stored: P | PlacedReport } {
  const { state, numberOf, sessionId } = folding;
  const { position, source } = placed;
  // A call in normal form is an item with all its fields.
  const item = placed.item as Item;
  const backfill = item.type === 'session_start' ? item.backfill === true : state.backfill;
  const { at, clockOff } = timeOf(placed, backfill);
  const result = foldItem(state, { position, at, clockOff, source, item }, folding.context);
  if (!result.ok) {
    const { code, field, reason } = result;
    const { seq, runnerTime } = placed;
    const gap = gapForRefusedTurn({ seq, session: '-', chain: chainOf(item), at: runnerTime }, code);
    folding.refused.set(placed, { code, field, reason });
    // Its context then counts as incomplete.
    return foldPlaced<PlacedReport>(folding, { ...placed, callKey: null, item: gap });
  }
  folding.startedAt ??= at;
  folding.touched.add(chainOf(item));
  if (result.events.length > 0) {
    const cause = isCall(placed) ? callCause(placed.callKey) : reportCause(placed.streamId, placed.seq);
    result.events.forEach((event, rank) => {
      folding.events.push({ ...event, sessionId, chain: numberOf(event.chain), cause, position, rank });
      if (event.kind === 'session_ended') folding.endedAt = event.at;
      if (event.kind === 'session_started') folding.endedAt = null;
    });
  }
  if (result.amends) amend(folding, { sessionId, ...result.amends });
  if (result.closed) {
    const { chain, context, limit } = result.closed;
    folding.contexts.push(contextRow(sessionId, numberOf(chain), context, limit, result.closed));
  }
  if (result.turn?.chain === MAIN_CHAIN && isCall(placed)) notePoint(folding, placed, result.turn);
  return { derived: result.turn, stored: placed };
}

function amend(folding: Folding, amendment: EventAmendment): void {
  const { position, kind } = amendment;
  const own = folding.events.findLast((event) => event.position === position && event.kind === kind);
  if (own) own.detail = amendment.detail;
  else folding.amends.set(`${position} ${kind}`, amendment);
}

function notePoint({ state, points }: Folding, { item }: PlacedCall, turn: DerivedTurn): void {
  const { flags, cumulative } = turn;
  const counted = !(flags.inherited || flags.superseded || flags.readingOnly);
  const { contextTokens } = item;
  const moves = contextTokens !== undefined && !flags.readingIgnored && turn.usedSnapshot === contextTokens;
  if (!counted && !moves) return;
  const count = (value: number | undefined) => (counted ? Math.max(0, value ?? 0) : 0);
  points.push({
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
  });
}

export function foldTail(batch: Batch, plan: SessionPlan, thresholds: Thresholds): Folding {
  const { session, owner } = plan;
  const { writes } = batch;
  const chains: Record<string, ChainFold> = {};
  for (const { key, fold } of plan.chains.values()) if (fold) chains[key] = fold;
  const state = { ...session.fold, chains };
  const folding = beginFolding(session.id, (key) => chainNumber(plan, key), state, { thresholds, owner });
  for (const placed of plan.tail) {
    const { stored, derived } = foldPlaced(folding, placed);
    writePlaced(batch, plan, stored, derived);
  }
  writes.events.push(...folding.events);
  writes.amendedEvents.push(...folding.amends.values());
  writes.contexts.push(...folding.contexts);
  for (const key of folding.touched) {
    // An alias opens no chain.
    if (!Object.hasOwn(chains, key)) continue;
    const fold = chains[key] as ChainFold;
    const chain = chainNumber(plan, key);
    writes.chains.push({ sessionId: session.id, chain, key, fold });
    writes.contexts.push(contextRow(session.id, chain, fold.context, fold.limit.tokens));
  }
  return folding;
}

/** Write the row of a new item; `derived` null for a call that waits for its fold. */
export function writePlaced(
  batch: Batch,
  plan: SessionPlan,
  placed: PlacedItem,
  derived: DerivedTurn | null,
): void {
  const { writes } = batch;
  const sessionId = plan.session.id;
  if (isCall(placed)) {
    writes.turns.push(callRow(batch, plan, placed, derived));
    return;
  }
  writes.reports.push(reportRow(sessionId, placed));
  const { item } = placed;
  if (item.type === 'archive') {
    const cause = reportCause(placed.streamId, placed.seq);
    writes.archives.push({ sessionId, cause, at: placed.runnerTime, item });
  }
}

/** The row of a new or changed call. */
export function callRow(
  { models }: Pick<Batch, 'models'>,
  plan: SessionPlan,
  call: PlacedCall,
  derived: DerivedTurn | null,
): TurnRow {
  const { chain, model } = call.item;
  const modelId = model === undefined ? null : (models.get(model) ?? null);
  return turnRow(call, { sessionId: plan.session.id, chain: chainNumber(plan, chain), modelId }, derived);
}

/** Number of a chain in its session's rows: 0 is `main`, the others count on in order of appearance. */
export function chainNumber(plan: SessionPlan, key: string): number {
  const known = plan.chains.get(key);
  if (known) return known.chain;
  const chain = key === MAIN_CHAIN ? 0 : plan.chainCount;
  if (chain > MAX_NUMBER) throw new RangeError(`a session has at most ${MAX_NUMBER} chains besides main`);
  if (key !== MAIN_CHAIN) plan.chainCount += 1;
  plan.chains.set(key, { chain, key, fold: null });
  return chain;
}

export function reportRow(sessionId: number, placed: PlacedReport): WriteSet['reports'][number] {
  const { position, seq, hash, runnerTime, serverTime, streamId, source, clock } = placed;
  const { seq: _seq, session: _session, at: _at, ...item } = placed.item;
  const bits = packReportBits(source, clock);
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

/** What session_start items state of a session; a later one replaces an earlier one. */
export type Description = Pick<
  LockedSession,
  'title' | 'host' | 'folder' | 'branch' | 'previousId' | 'forkedFromId'
>;

export function describe(before: LockedSession, items: readonly PlacedItem[], project: string): Description {
  let { title, host, folder, branch, previousId, forkedFromId } = before;
  for (const { item } of items) {
    if (item.type !== 'session_start') continue;
    ({ title = title, host = host, folder = folder, branch = branch } = item);
    if (item.previous !== undefined) previousId = sessionId(project, item.previous);
    if (item.forkedFrom !== undefined) forkedFromId = sessionId(project, item.forkedFrom);
  }
  return { title, host, folder, branch, previousId, forkedFromId };
}

interface FoldedSession {
  state: SessionFold;
  thresholds: Thresholds;
  description: Description;
  startedAt: number;
  endedAt: number | null;
  itemsSinceCheckpoint: number;
}

export function writeSession(
  writes: WriteSet,
  before: LockedSession,
  mark: Mark,
  folded: FoldedSession,
): void {
  const { state, startedAt, endedAt, itemsSinceCheckpoint } = folded;
  const { chains: _chains, ...fold } = state;
  // Peaks in history are by the session's lens: another one changes all of them.
  if (state.lens !== before.fold.lens) writes.historyChanges.push({ sessionId: before.id, position: 0 });
  const summary = summarizeSession(state, folded.thresholds);
  const { model, client, clientVersion, backfill, lens, limitSource, used, pressure, turnCount } = summary;
  writes.sessions.push({
    model,
    client,
    clientVersion,
    backfill,
    fold,
    lens,
    limitTokens: summary.limit,
    limitSource,
    used,
    pressure,
    state: summary.state,
    minutesLeft: summary.nextBoundary?.minutes ?? null,
    silentAfterMs: silentAfterMs(summary.forecast),
    turnCount,
    startedAt,
    lastTurnAt: summary.lastTurnAtMs,
    endedAt,
    itemsSinceCheckpoint,
    ...folded.description,
    ...mark,
    recomputeFrom: null,
  });
}
