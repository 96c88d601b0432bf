/**
 * Folds a session's items and gathers what follows from them: columns, events, ended contexts, buckets. One
 * accumulator for both ways through ingest, the new items at the end and the recomputation from the middle.
 */
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import { foldItem } from '../../core/accounting/fold';
import type {
  ClosedContext,
  DerivedEvent,
  DerivedTurn,
  FoldContext,
  SessionFold,
} from '../../core/accounting/fold-types';
import { gapForRefusedTurn } from '../../core/accounting/refused-turn';
import type { EventKind } from '../../core/api/session';
import type { Item } from '../../core/protocol/items';
import type { PyramidTurn } from '../../core/series/pyramid';
import { type CallFacts, itemOfFacts } from './call-facts';
import { type CallRecord, type DerivedColumns, deriveColumns } from './call-row';
import { timeOf } from './clock';
import { callCause, reportCause } from './hash-item';
import type { ReportRecord } from './session-plan';
import type { Refused } from './types';

export interface EventRecord {
  cause: string;
  kind: EventKind;
  position: number;
  rank: number;
  chainKey: string;
  context: number;
  turn: number;
  at: number;
  detail: Record<string, unknown>;
}

export interface EventAmendment {
  position: number;
  kind: EventKind;
  detail: Record<string, unknown>;
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
  /** Chains that an item spoke of. */
  touched: Set<string>;
  /** Effective time of the first item, where the folding began with an empty state. */
  startedAt: number | null;
  /** When the session ended, as far as this folding saw; undefined: nothing was said. */
  endedAt: number | null | undefined;
}

export function beginFolding(state: SessionFold, context: FoldContext): Folding {
  return {
    state,
    context,
    events: [],
    amends: new Map(),
    closed: [],
    points: [],
    touched: new Set(),
    startedAt: null,
    endedAt: undefined,
  };
}

/** Folds a call. Refused ones leave everything as it was. */
export function foldCall(
  folding: Folding,
  record: CallRecord,
): { ok: true; columns: DerivedColumns } | { ok: false; refused: Refused } {
  const item = itemOfFacts(record.facts, { seq: record.seq, at: record.runnerTime, callKey: record.callKey });
  const result = step(folding, record, item, () => callCause(record.callKey));
  if (!result.ok) return result;
  const { turn } = result;
  if (!turn) throw new TypeError('the fold gave a call no columns');
  if (turn.chain === MAIN_CHAIN) notePoint(folding, record.facts, turn);
  return { ok: true, columns: deriveColumns(record, turn) };
}

/** Folds an item that is no call. */
export function foldReport(folding: Folding, record: ReportRecord): void {
  step(folding, record, record.item, () => reportCause(record.streamId, record.seq));
}

/** The report that takes the place of a refused call, so that its context counts as incomplete. */
export function gapForCall(record: CallRecord, refused: Refused): ReportRecord {
  const { facts, callKey: _callKey, ...carrier } = record;
  const item = { seq: record.seq, session: '-', chain: facts.chain, at: record.runnerTime };
  return { ...carrier, item: gapForRefusedTurn(item, refused.code) };
}

function step(
  folding: Folding,
  row: Omit<ReportRecord, 'item'>,
  item: Item,
  causeOf: () => string,
): { ok: true; turn: DerivedTurn | null } | { ok: false; refused: Refused } {
  const { state } = folding;
  const { at, clockOff } = timeOf(row, isBackfill(state, item));
  const { position, source } = row;
  const result = foldItem(state, { position, at, clockOff, source, item }, folding.context);
  if (!result.ok) {
    const { code, field, reason } = result;
    return { ok: false, refused: { code, field, reason } };
  }
  folding.startedAt ??= at;
  folding.touched.add(('chain' in item && item.chain) || MAIN_CHAIN);
  if (result.events.length > 0) {
    const cause = causeOf();
    result.events.forEach((event, rank) => {
      noteEvent(folding, event, { cause, position, rank });
    });
  }
  if (result.amends) amend(folding, result.amends);
  if (result.closed) folding.closed.push(result.closed);
  return { ok: true, turn: result.turn };
}

/** A session_start speaks for itself already. */
function isBackfill(state: SessionFold, item: Item): boolean {
  return item.type === 'session_start' ? item.backfill === true : state.backfill;
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

function notePoint(folding: Folding, facts: CallFacts, turn: DerivedTurn): void {
  const { flags } = turn;
  const counted = !(flags.inherited || flags.superseded || flags.readingOnly);
  const moves =
    facts.contextTokens !== null && !flags.readingIgnored && turn.usedSnapshot === facts.contextTokens;
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
      input: count(facts.usage?.input),
      output: count(facts.usage?.output),
      cacheRead: count(facts.usage?.cacheRead),
      cacheCreation: count(facts.usage?.cacheCreation),
      cumulativeInput: turn.cumulative.input,
      cumulativeOutput: turn.cumulative.output,
      cumulativeCacheRead: turn.cumulative.cacheRead,
      estimated: reading?.basis === 'estimate',
      untracked: flags.untracked,
    },
  });
}
