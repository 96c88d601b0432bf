/**
 * Decides what becomes of each item of a session, in order of arrival: a new row, a repetition, an update of a
 * stored call, or a refusal. Compares with the rows that were read under the session's lock and with the items
 * of the same batch before it; writes nothing.
 */
import { gapForRefusedTurn } from '../../core/accounting/refused-turn';
import type { Item } from '../../core/protocol/items';
import { inRanges } from '../../core/protocol/ranges';
import { sourceCode } from '../codes/sources';
import { type Arrival, deliveryKey } from './arrivals';
import { type CallFacts, factsOf, isCallItem, mergeFacts } from './call-facts';
import type { CallRecord } from './call-row';
import { noteComposition } from './compositions';
import type { LockedBatch } from './lock-batch';
import { placeRow, removeRow } from './place-rows';
import {
  AMENDED,
  DELIVERY_OUTCOME,
  type DeliveryRecord,
  DUPLICATE,
  type NewRow,
  type ReportRecord,
  type SessionPlan,
  STORED,
  UNCHANGED,
} from './session-plan';
import type { ItemOutcome, Refused } from './types';

/** What the batch has settled so far, over all its sessions. */
export interface BatchMemory {
  locked: LockedBatch;
  /** Stored deliveries without a row of their own, by delivery key. */
  known: Map<string, DeliveryRecord[]>;
  /** Deliveries of this batch: hash and outcome by delivery key. */
  settled: Map<string, { hash: string; outcome: ItemOutcome }>;
  deliveries: DeliveryRecord[];
  outcomes: Map<Arrival, ItemOutcome>;
}

/** Settles one session's items into its plan. */
export function settleItems(plan: SessionPlan, arrivals: readonly Arrival[], memory: BatchMemory): void {
  const ofBatch = new Map<string, Extract<NewRow, { kind: 'call' }>>();
  const reportsOfBatch = new Map<string, Set<number>>();
  for (const arrival of arrivals) {
    const key = deliveryKey(arrival.stream.streamId, arrival.item.seq);
    const before = memory.settled.get(key);
    const settler = { plan, memory, ofBatch, reportsOfBatch };
    const outcome = before ? settleRepeated(settler, arrival, before) : settle(settler, arrival);
    if (!before) memory.settled.set(key, { hash: arrival.hash, outcome });
    memory.outcomes.set(arrival, outcome);
  }
}

interface Settler {
  plan: SessionPlan;
  memory: BatchMemory;
  /** New calls of this batch, by call key. */
  ofBatch: Map<string, Extract<NewRow, { kind: 'call' }>>;
  /** Streams that brought a report in this batch, by hash. */
  reportsOfBatch: Map<string, Set<number>>;
}

function settleRepeated(
  settler: Settler,
  arrival: Arrival,
  before: { hash: string; outcome: ItemOutcome },
): ItemOutcome {
  if (before.hash !== arrival.hash) return refuseSeq(settler, arrival);
  return before.outcome.outcome === 'refused' ? before.outcome : DUPLICATE;
}

function settle(settler: Settler, arrival: Arrival): ItemOutcome {
  const { plan, memory } = settler;
  if (plan.session.deletedAt !== null) {
    return refuse(settler, arrival, {
      code: 'session_deleted',
      field: 'session',
      reason: 'this session was deleted',
    });
  }
  const received = memory.locked.received.get(arrival.stream.streamId) ?? [];
  if (inRanges(received, arrival.item.seq)) return settleKnownSeq(settler, arrival);
  return isCallItem(arrival.item)
    ? settleCall(settler, arrival)
    : settleReport(settler, arrival, arrival.item);
}

/** The seq was settled before: the same content is acknowledged again, another one is refused. */
function settleKnownSeq(settler: Settler, arrival: Arrival): ItemOutcome {
  const { plan, memory } = settler;
  const key = deliveryKey(arrival.stream.streamId, arrival.item.seq);
  const own = ownHash(plan, memory, arrival);
  if (own !== undefined) return own === arrival.hash ? DUPLICATE : refuseSeq(settler, arrival);
  const known = memory.known.get(key)?.find(({ hash }) => hash === arrival.hash);
  if (!known) return refuseSeq(settler, arrival);
  return known.refusal ? { outcome: 'refused', ...known.refusal } : DUPLICATE;
}

/** Hash of the row that this very delivery made; undefined: it made none, or one of another call. */
function ownHash(
  plan: SessionPlan,
  memory: BatchMemory,
  { stream, item, callKey }: Arrival,
): string | undefined {
  const { id } = plan.session;
  if (callKey === null)
    return memory.locked.reports.byDelivery.get(`${id} ${deliveryKey(stream.streamId, item.seq)}`);
  const call = memory.locked.calls.get(id)?.get(callKey);
  return call && call.streamId === stream.streamId && call.seq === item.seq ? call.hash : undefined;
}

function settleCall(settler: Settler, arrival: Arrival): ItemOutcome {
  const { plan, memory, ofBatch } = settler;
  const { item, callKey } = arrival;
  if (callKey === null || !isCallItem(item)) throw new TypeError('a call has a call key');
  const facts = factsOf(item);
  noteCallSource(plan, arrival, facts);
  const pending = ofBatch.get(callKey);
  if (pending) return settleKnownCall(settler, arrival, facts, pending.record, pending);
  const stored = plan.changed.get(callKey) ?? memory.locked.calls.get(plan.session.id)?.get(callKey);
  if (stored) return settleKnownCall(settler, arrival, facts, stored, null);
  const row: Extract<NewRow, { kind: 'call' }> = {
    kind: 'call',
    record: {
      position: 0,
      streamId: arrival.stream.streamId,
      seq: item.seq,
      hash: arrival.hash,
      source: arrival.stream.source,
      // A column holds whole milliseconds; folding again must see the same time.
      runnerTime: Math.floor(item.at),
      serverTime: arrival.receivedAt,
      clock: arrival.clock,
      callKey,
      facts,
    },
    arrivals: [arrival],
  };
  ofBatch.set(callKey, row);
  add(settler, row);
  noteComposition(plan, arrival, memory.locked.compositions);
  return STORED;
}

/** A further report of a call, from this stream or another. */
function settleKnownCall(
  settler: Settler,
  arrival: Arrival,
  facts: CallFacts,
  record: CallRecord,
  pending: Extract<NewRow, { kind: 'call' }> | null,
): ItemOutcome {
  const { plan, memory, ofBatch } = settler;
  const { stream, item } = arrival;
  const isSameStream = record.streamId === stream.streamId;
  const isBetter = sourceCode(stream.source) < sourceCode(record.source);
  const isEarlier = isSameStream && item.seq < record.seq;
  const merge = mergeFacts(record.facts, facts, isBetter || isEarlier ? 'incoming' : 'stored');
  if (merge.kind === 'conflict') {
    const { kind: _kind, ...refused } = merge;
    return refuse(settler, arrival, refused);
  }
  const isRenewed = noteComposition(plan, arrival, memory.locked.compositions);
  const isAmended = merge.kind === 'amended' || isRenewed;
  const outcome = isAmended ? AMENDED : isSameStream ? UNCHANGED : DUPLICATE;
  const merged = merge.kind === 'amended' ? merge.facts : record.facts;
  if (isEarlier) {
    // The same stream said it before, later in time: the row stands where its lowest seq stands.
    note(settler, {
      ...record,
      outcome: DELIVERY_OUTCOME.amendment,
      receivedAt: record.serverTime,
      refusal: null,
    });
    const row: Extract<NewRow, { kind: 'call' }> = {
      kind: 'call',
      record: { ...record, ...carrier(arrival), facts: merged },
      arrivals: [arrival, ...(pending?.arrivals ?? [])],
    };
    if (pending) removeRow(plan, pending);
    else plan.moved.set(record.callKey, record);
    plan.changed.delete(record.callKey);
    ofBatch.set(record.callKey, row);
    add(settler, row);
    return outcome;
  }
  noteArrival(settler, arrival, isAmended ? DELIVERY_OUTCOME.amendment : DELIVERY_OUTCOME.duplicate, null);
  if (isAmended || isBetter) plan.lastActivityAt = Math.max(plan.lastActivityAt, arrival.receivedAt);
  if (merge.kind === 'amended' || isBetter) {
    const source = isBetter ? stream.source : record.source;
    if (pending) {
      pending.record = { ...record, facts: merged, source };
      pending.arrivals.push(arrival);
    } else {
      plan.changed.set(record.callKey, { ...record, facts: merged, source });
    }
  }
  return outcome;
}

function settleReport(settler: Settler, arrival: Arrival, item: Item): ItemOutcome {
  const { plan, memory, reportsOfBatch } = settler;
  const { streamId } = arrival.stream;
  const stored = memory.locked.reports.byHash.get(`${plan.session.id} ${arrival.hash}`) ?? [];
  const ofBatch = reportsOfBatch.get(arrival.hash) ?? new Set();
  // To the millisecond the same, from another queue: the same report again. One stream may well say so twice.
  if ([...stored, ...ofBatch].some((other) => other !== streamId)) {
    noteArrival(settler, arrival, DELIVERY_OUTCOME.duplicate, null);
    return DUPLICATE;
  }
  reportsOfBatch.set(arrival.hash, ofBatch.add(streamId));
  const row: NewRow = { kind: 'report', record: { ...carrier(arrival), item }, arrivals: [arrival] };
  add(settler, row);
  noteClaim(plan, arrival, row);
  return STORED;
}

function add({ plan, memory }: Settler, row: NewRow): void {
  const [arrival] = row.arrivals;
  if (!arrival) throw new TypeError('a row comes from an item');
  const stored = memory.locked.maxSeq.get(plan.session.id)?.get(arrival.stream.streamId) ?? 0;
  placeRow(plan, row, stored);
  plan.sources |= 1 << sourceCode(arrival.stream.source);
  plan.lastActivityAt = Math.max(plan.lastActivityAt, arrival.receivedAt);
}

function carrier(arrival: Arrival): Omit<ReportRecord, 'item'> {
  const { stream, item, hash, receivedAt, clock } = arrival;
  return {
    position: 0,
    streamId: stream.streamId,
    seq: item.seq,
    hash,
    source: stream.source,
    runnerTime: Math.floor(item.at),
    serverTime: receivedAt,
    clock,
  };
}

function noteCallSource(plan: SessionPlan, { stream }: Arrival, facts: CallFacts): void {
  if (facts.kind !== 'turn' || facts.inherited) return;
  plan.owner = Math.min(plan.owner, sourceCode(stream.source));
}

function noteClaim(plan: SessionPlan, { item, stream }: Arrival, row: NewRow): void {
  if (item.type !== 'session_start' && item.type !== 'session_alias' && item.type !== 'restart') return;
  const { clientSessionId, client = null } = item;
  if (clientSessionId === undefined) return;
  plan.claims.push({ client, clientSessionId, row, source: stream.source, projectId: stream.projectId });
}

function refuseSeq(settler: Settler, arrival: Arrival): ItemOutcome {
  const outcome = refuse(settler, arrival, {
    code: 'seq_conflict',
    field: 'seq',
    reason: `seq ${arrival.item.seq} of this stream came before with other content`,
  });
  markLoss(settler, arrival);
  return outcome;
}

/**
 * A turn under a seq that was taken, of a call that is not stored, is missing from the sums: a gap says so. It
 * stands under the negative seq, which no stream can use.
 */
function markLoss(settler: Settler, arrival: Arrival): void {
  const { plan, memory, ofBatch } = settler;
  const { item, stream, callKey } = arrival;
  if (item.type !== 'turn' || callKey === null || plan.session.deletedAt !== null) return;
  const { id } = plan.session;
  if (ofBatch.has(callKey) || memory.locked.calls.get(id)?.has(callKey)) return;
  const key = deliveryKey(stream.streamId, -item.seq);
  if (memory.settled.has(key) || memory.locked.reports.byDelivery.has(`${id} ${key}`)) return;
  memory.settled.set(key, { hash: arrival.hash, outcome: STORED });
  const gap = gapForRefusedTurn({ ...item, session: item.session }, 'seq_conflict');
  const record: ReportRecord = { ...carrier(arrival), seq: -item.seq, item: gap };
  plan.tail.push({ kind: 'report', record, arrivals: [arrival] });
  plan.lastActivityAt = Math.max(plan.lastActivityAt, arrival.receivedAt);
}

/** Refuses the item for good and remembers why: a resend gets the same answer. */
export function refuse({ memory }: Pick<Settler, 'memory'>, arrival: Arrival, refused: Refused): ItemOutcome {
  noteArrival({ memory }, arrival, DELIVERY_OUTCOME.refused, refused);
  return { outcome: 'refused', ...refused };
}

function noteArrival(
  settler: Pick<Settler, 'memory'>,
  { stream, item, hash, receivedAt }: Arrival,
  outcome: DeliveryRecord['outcome'],
  refusal: Refused | null,
): void {
  note(settler, { streamId: stream.streamId, seq: item.seq, hash, outcome, refusal, receivedAt });
}

function note({ memory }: Pick<Settler, 'memory'>, delivery: DeliveryRecord): void {
  const { streamId, seq, hash, outcome, refusal, receivedAt } = delivery;
  memory.deliveries.push({ streamId, seq, hash, outcome, refusal, receivedAt });
}
