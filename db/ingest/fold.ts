/**
 * Folds items and gathers what follows from them: columns, events, ended contexts, buckets. New items at a session's end
 * and a recomputation from the middle (refold.ts) use the same accumulator.
 */

import { gapForRefusedTurn } from '../../core/accounting/apply-session';
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import { foldItem } from '../../core/accounting/fold';
import type {
  ChainFold,
  ClosedContext,
  ContextFold,
  DerivedEvent,
  DerivedTurn,
  FoldContext,
  SessionFold,
} from '../../core/accounting/fold-types';
import { summarizeSession } from '../../core/accounting/summarize-session';
import type { Thresholds } from '../../core/accounting/types';
import type { EventKind } from '../../core/events/details';
import { silentAfterMs } from '../../core/forecast/silence';
import { sessionId } from '../../core/identity/session-id';
import type { Item } from '../../core/protocol/items';
import type { PyramidTurn } from '../../core/series/pyramid';
import { callCause, reportCause } from '../codes/hash-item';
import { sourceOf } from '../codes/sources';
import { packReportBits } from '../codes/turn-bits';
import { turnRow } from './columns';
import {
  isCall,
  type LockedSession,
  MAX_NUMBER,
  type PlacedCall,
  type PlacedItem,
  type Refused,
  type SessionPlan,
  timeOf,
} from './types';
import type { EventAmendment, WriteSet } from './write';

export interface EventRecord extends EventAmendment {
  kind: EventKind;
  cause: string;
  rank: number;
  chainKey: string;
  context: number;
  turn: number;
  at: number;
}

export interface Folding {
  /** Updated in place. */
  state: SessionFold;
  context: FoldContext;
  events: EventRecord[];
  /** New details of events that were made before this folding began, by position and kind. */
  amends: Map<string, EventAmendment>;
  closed: ClosedContext[];
  /** Points of the main chain, in order. */
  points: PyramidTurn[];
  /** Chains that an item named. */
  touched: Set<string>;
  /** Effective time of the first item. */
  startedAt: number | null;
  /** When the session ended, as far as this folding saw; undefined: no item was about it. */
  endedAt: number | null | undefined;
}

export function beginFolding(state: SessionFold, thresholds: Thresholds, owner: number): Folding {
  return {
    state,
    context: { thresholds, owner: sourceOf(owner) },
    events: [],
    amends: new Map(),
    closed: [],
    points: [],
    touched: new Set(),
    startedAt: null,
    endedAt: undefined,
  };
}

export type Folded =
  | { ok: true; turn: DerivedTurn | null }
  | { ok: false; refused: Refused; gap: PlacedItem };

/** Fold one item. A refused call leaves the state as it was, and the gap in its place is folded instead. */
export function foldPlaced(folding: Folding, placed: PlacedItem): Folded {
  const { state } = folding;
  const { position, source, item } = placed;
  // A session_start states it itself.
  const backfill = item.type === 'session_start' ? item.backfill === true : state.backfill;
  const { at, clockOff } = timeOf(placed, backfill);
  const result = foldItem(state, { position, at, clockOff, source, item }, folding.context);
  if (!result.ok) {
    const { code, field, reason } = result;
    const gap = gapFor(placed, code);
    foldPlaced(folding, gap);
    return { ok: false, refused: { code, field, reason }, gap };
  }
  folding.startedAt ??= at;
  folding.touched.add(('chain' in item && item.chain) || MAIN_CHAIN);
  if (result.events.length > 0) {
    const cause = isCall(placed) ? callCause(placed.callKey) : reportCause(placed.streamId, placed.seq);
    result.events.forEach((event, rank) => {
      noteEvent(folding, event, { cause, position, rank });
    });
  }
  if (result.amends) amend(folding, result.amends);
  if (result.closed) folding.closed.push(result.closed);
  if (result.turn?.chain === MAIN_CHAIN && isCall(placed)) notePoint(folding, placed, result.turn);
  return { ok: true, turn: result.turn };
}

/** The report that takes the place of a refused call, so that its context counts as incomplete. */
function gapFor(placed: PlacedItem, code: string): PlacedItem {
  const { item, seq, runnerTime: at } = placed;
  const chain = 'chain' in item ? item.chain : undefined;
  return { ...placed, callKey: null, item: gapForRefusedTurn({ seq, session: '-', chain, at }, code) };
}

function noteEvent(
  folding: Folding,
  event: DerivedEvent,
  place: { cause: string; position: number; rank: number },
): void {
  const { chain: chainKey, ...rest } = event;
  folding.events.push({ ...rest, ...place, chainKey });
  if (event.kind === 'session_ended') folding.endedAt = event.at;
  if (event.kind === 'session_started') folding.endedAt = null;
}

function amend(folding: Folding, amendment: EventAmendment): void {
  const { position, kind } = amendment;
  const own = folding.events.findLast((event) => event.position === position && event.kind === kind);
  if (own) own.detail = amendment.detail;
  else folding.amends.set(`${position} ${kind}`, amendment);
}

function notePoint(folding: Folding, { item }: PlacedCall, turn: DerivedTurn): void {
  const { flags } = turn;
  const usage = item.type === 'turn' ? item.usage : null;
  const counted = !(flags.inherited || flags.superseded || flags.readingOnly);
  const moves =
    item.contextTokens !== undefined && !flags.readingIgnored && turn.usedSnapshot === item.contextTokens;
  if (!counted && !moves) return;
  const count = (value: number | undefined) => (counted ? Math.max(0, value ?? 0) : 0);
  const reading = folding.state.chains[MAIN_CHAIN]?.context.reading;
  folding.points.push({
    cumulative: turn.usedCumulative,
    snapshot: turn.usedSnapshot,
    point: {
      t: turn.time,
      n: turn.number,
      context: turn.context,
      limit: turn.limit,
      turns: counted ? 1 : 0,
      input: count(usage?.input),
      output: count(usage?.output),
      cacheRead: count(usage?.cacheRead),
      cacheCreation: count(usage?.cacheCreation),
      cumulativeInput: turn.cumulative.input,
      cumulativeOutput: turn.cumulative.output,
      cumulativeCacheRead: turn.cumulative.cacheRead,
      estimated: reading?.basis === 'estimate',
      untracked: flags.untracked,
    },
  });
}

/** What folding a plan needs besides the plan. */
export interface FoldTools {
  writes: WriteSet;
  thresholds: Thresholds;
  /** Ids of model names. */
  models: ReadonlyMap<string, number>;
  refusePlaced(placed: PlacedItem, refused: Refused): void;
}

/** Fold new items behind everything the session has onto its stored state, and write their rows. */
export function foldTail(plan: SessionPlan, tools: FoldTools): Folding {
  const { session, chains } = plan;
  const { writes } = tools;
  const loaded: Record<string, ChainFold> = Object.fromEntries(
    [...chains.values()].flatMap(({ key, fold }) => (fold ? [[key, fold]] : [])),
  );
  const folding = beginFolding({ ...session.fold, chains: loaded }, tools.thresholds, plan.owner);
  for (const placed of plan.tail) {
    const folded = foldPlaced(folding, placed);
    if (!folded.ok) {
      tools.refusePlaced(placed, folded.refused);
      writePlaced(plan, folded.gap, null, tools);
    } else writePlaced(plan, placed, folded.turn, tools);
  }
  const numberOf = (key: string) => chainNumber(plan, key);
  for (const event of folding.events) writes.events.push(eventRow(session.id, event, numberOf));
  for (const amendment of folding.amends.values()) {
    writes.amendedEvents.push({ sessionId: session.id, ...amendment });
  }
  for (const closed of folding.closed) {
    writes.contexts.push(closedContextRow(session.id, numberOf(closed.chain), closed));
  }
  for (const key of folding.touched) {
    // An alias opens no chain.
    if (!Object.hasOwn(folding.state.chains, key)) continue;
    const fold = folding.state.chains[key] as ChainFold;
    const chain = numberOf(key);
    writes.chains.push({ sessionId: session.id, chain, key, fold });
    writes.contexts.push(openContextRow(session.id, chain, fold));
  }
  return folding;
}

/** Write the row of a new item; `derived` null for a call that waits for its fold. */
export function writePlaced(
  plan: SessionPlan,
  placed: PlacedItem,
  derived: DerivedTurn | null,
  { writes, models }: Pick<FoldTools, 'writes' | 'models'>,
): void {
  const { id } = plan.session;
  if (isCall(placed)) {
    const chain = chainNumber(plan, placed.item.chain ?? MAIN_CHAIN);
    writes.turns.push(turnRow(placed, { sessionId: id, chain, modelId: modelOf(placed, models) }, derived));
    return;
  }
  writes.reports.push(reportRow(id, placed));
  const { item } = placed;
  if (item.type === 'archive') {
    const cause = reportCause(placed.streamId, placed.seq);
    writes.archives.push({ sessionId: id, cause, at: placed.runnerTime, item });
  }
}

export function modelOf({ item }: PlacedCall, models: ReadonlyMap<string, number>): number | null {
  return item.model === undefined ? null : (models.get(item.model) ?? null);
}

/** Number of a chain in its session's rows: 0 is `main`, the others count on in order of appearance. */
export function chainNumber(plan: Pick<SessionPlan, 'chains' | 'chainCount'>, key: string): number {
  const known = plan.chains.get(key);
  if (known) return known.chain;
  const chain = key === MAIN_CHAIN ? 0 : plan.chainCount;
  if (chain > MAX_NUMBER) throw new RangeError(`a session has at most ${MAX_NUMBER} chains besides main`);
  if (key !== MAIN_CHAIN) plan.chainCount += 1;
  plan.chains.set(key, { chain, key, fold: null });
  return chain;
}

export function reportRow(id: number, placed: PlacedItem): WriteSet['reports'][number] {
  const { seq: _seq, session: _session, at: _at, ...item } = placed.item;
  return {
    position: placed.position,
    sessionId: id,
    seq: placed.seq,
    hash: placed.hash,
    runnerTime: placed.runnerTime,
    serverTime: placed.serverTime,
    streamId: placed.streamId,
    bits: packReportBits(placed.source, placed.clock),
    item,
  };
}

export function eventRow(
  id: number,
  { chainKey, ...event }: EventRecord,
  numberOf: (chain: string) => number,
): WriteSet['events'][number] {
  return { sessionId: id, chain: numberOf(chainKey), ...event };
}

export function openContextRow(id: number, chain: number, fold: ChainFold) {
  return contextRow(id, chain, fold.context, null, fold.limit.tokens);
}

export function closedContextRow(id: number, chain: number, closed: ClosedContext) {
  return contextRow(id, chain, closed.context, closed, closed.limit);
}

function contextRow(
  id: number,
  chain: number,
  context: ContextFold,
  end: Pick<ClosedContext, 'endedAt' | 'endedBy'> | null,
  limitTokens: number | null,
): WriteSet['contexts'][number] {
  const { totals, cumulative } = context;
  return {
    sessionId: id,
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

export function describe(before: Description, item: Item, project: string): Description {
  if (item.type !== 'session_start') return before;
  return {
    title: item.title ?? before.title,
    host: item.host ?? before.host,
    folder: item.folder ?? before.folder,
    branch: item.branch ?? before.branch,
    previousId: item.previous === undefined ? before.previousId : sessionId(project, item.previous),
    forkedFromId: item.forkedFrom === undefined ? before.forkedFromId : sessionId(project, item.forkedFrom),
  };
}

export interface FoldedSession {
  state: SessionFold;
  thresholds: Thresholds;
  description: Description;
  startedAt: number;
  endedAt: number | null;
  itemsSinceCheckpoint: number;
}

/** Write what follows from a session's items into its row. */
export function writeSession(
  writes: WriteSet,
  before: LockedSession,
  mark: WriteSet['marks'][number],
  folded: FoldedSession,
): void {
  const { state, description } = folded;
  const { chains: _chains, ...fold } = state;
  // Peaks in history are by the session's lens: another one changes all of them.
  if (state.lens !== before.fold.lens) writes.historyChanges.push({ sessionId: before.id, position: 0 });
  const summary = summarizeSession(state, folded.thresholds);
  writes.sessions.push({
    title: description.title,
    host: description.host,
    folder: description.folder,
    branch: description.branch,
    previousId: description.previousId,
    forkedFromId: description.forkedFromId,
    model: summary.model,
    client: summary.client,
    clientVersion: summary.clientVersion,
    backfill: summary.backfill,
    fold,
    lens: summary.lens,
    limitTokens: summary.limit,
    limitSource: summary.limitSource,
    used: summary.used,
    pressure: summary.pressure,
    state: summary.state,
    minutesLeft: summary.nextBoundary?.minutes ?? null,
    silentAfterMs: silentAfterMs(summary.forecast),
    turnCount: summary.turnCount,
    startedAt: folded.startedAt,
    lastTurnAt: summary.lastTurnAtMs,
    endedAt: folded.endedAt,
    itemsSinceCheckpoint: folded.itemsSinceCheckpoint,
    // Last: names that follow a spread in a literal are defined one by one, which takes longer than the fold.
    ...mark,
  });
}
