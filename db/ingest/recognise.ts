/**
 * Decides what becomes of each item of a session, in order of arrival: a new row, a repetition, an update of a stored
 * call, or a refusal. Compares with the rows that were read under the session's lock and with the items of the same
 * batch before it; writes nothing.
 */

import { gapForRefusedTurn } from '../../core/accounting/apply-session';
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { Item } from '../../core/protocol/items';
import type { RefusalCode } from '../../core/protocol/messages';
import { inRanges } from '../../core/protocol/ranges';
import { sourceCode } from '../codes/sources';
import { mergeCalls, normalCall } from './columns';
import { compositionOf, type KnownCompositions, type LockedBatch } from './lock';
import { placeItem, removeItem } from './place';
import {
  type Arrival,
  type CallItem,
  type CompositionReport,
  DELIVERY_OUTCOME,
  type DeliveryRecord,
  deliveryKey,
  type ItemOutcome,
  isCallItem,
  MAX_NUMBER,
  type PlacedCall,
  type PlacedItem,
  type Refused,
  type SessionPlan,
} from './types';

const STORED: ItemOutcome = { outcome: 'stored' };
const DUPLICATE: ItemOutcome = { outcome: 'duplicate' };
const AMENDED: ItemOutcome = { outcome: 'amended' };
const UNCHANGED: ItemOutcome = { outcome: 'unchanged' };

/** What the batch has settled so far, over all its sessions. */
export interface BatchMemory {
  locked: LockedBatch;
  /** Hash and outcome by delivery key. */
  settled: Map<string, { hash: string; outcome: ItemOutcome }>;
  deliveries: DeliveryRecord[];
  outcomes: Map<Arrival, ItemOutcome>;
}

interface Recogniser {
  plan: SessionPlan;
  memory: BatchMemory;
  /** New calls of this batch, by call key. */
  newCalls: Map<string, PlacedCall>;
  /** Streams that brought a report in this batch, by hash. */
  newReports: Map<string, Set<number>>;
  /** Context that each chain is in, with the boundaries of this batch. */
  contexts: Map<string, number>;
}

/** Settle one session's items into its plan. */
export function recogniseItems(plan: SessionPlan, arrivals: readonly Arrival[], memory: BatchMemory): void {
  const recogniser: Recogniser = {
    plan,
    memory,
    newCalls: new Map(),
    newReports: new Map(),
    contexts: new Map(),
  };
  for (const arrival of arrivals) {
    const key = deliveryKey(arrival.stream.streamId, arrival.item.seq);
    const before = memory.settled.get(key);
    const outcome = before ? repeat(recogniser, arrival, before) : recognise(recogniser, arrival);
    if (!before) memory.settled.set(key, { hash: arrival.hash, outcome });
    memory.outcomes.set(arrival, outcome);
  }
}

function repeat(
  recogniser: Recogniser,
  arrival: Arrival,
  before: { hash: string; outcome: ItemOutcome },
): ItemOutcome {
  if (before.hash !== arrival.hash) return refuseSeq(recogniser, arrival);
  return before.outcome.outcome === 'refused' ? before.outcome : DUPLICATE;
}

function recognise(recogniser: Recogniser, arrival: Arrival): ItemOutcome {
  const { plan, memory } = recogniser;
  const { item, stream } = arrival;
  const { deletedAt, retired } = plan.session;
  if (deletedAt !== null) {
    const reason = retired ? 'the retention of the project removed this session' : 'this session was deleted';
    return refuse(memory, arrival, {
      code: retired ? 'retired' : 'session_deleted',
      field: 'session',
      reason,
    });
  }
  const received = memory.locked.received.get(stream.streamId) ?? [];
  if (inRanges(received, item.seq)) return recogniseSeq(recogniser, arrival);
  if (arrival.refusal) {
    markLoss(recogniser, arrival, arrival.refusal.code);
    return refuse(memory, arrival, arrival.refusal);
  }
  return isCallItem(item) ? recogniseCall(recogniser, arrival, item) : recogniseReport(recogniser, arrival);
}

/** The seq was settled before: the same content is acknowledged again, another one is refused. */
function recogniseSeq(recogniser: Recogniser, arrival: Arrival): ItemOutcome {
  const { locked } = recogniser.memory;
  const { item, stream, hash, callKey } = arrival;
  const { id } = recogniser.plan.session;
  const key = deliveryKey(stream.streamId, item.seq);
  const call = callKey === null ? undefined : locked.calls.get(id)?.get(callKey);
  const isOwn = call?.streamId === stream.streamId && call.seq === item.seq;
  const own =
    callKey === null ? locked.reports.byDelivery.get(`${id} ${key}`) : isOwn ? call.hash : undefined;
  if (own !== undefined) return own === hash ? DUPLICATE : refuseSeq(recogniser, arrival);
  const known = locked.deliveries.get(key)?.find((delivery) => delivery.hash === hash);
  if (!known) return refuseSeq(recogniser, arrival);
  return known.refusal ? { outcome: 'refused', ...known.refusal } : DUPLICATE;
}

function recogniseCall(recogniser: Recogniser, arrival: Arrival, item: CallItem): ItemOutcome {
  const { plan, memory, newCalls } = recogniser;
  const { callKey, stream } = arrival;
  if (callKey === null) throw new TypeError('a call has a call key');
  const counts = item.type === 'turn' && !item.inherited;
  if (counts) plan.owner = Math.min(plan.owner, sourceCode(stream.source));
  const call: PlacedCall = { ...carrier(arrival), callKey, item: normalCall(item, callKey) };
  const known =
    newCalls.get(callKey) ??
    plan.changed.get(callKey) ??
    memory.locked.calls.get(plan.session.id)?.get(callKey);
  if (known) return recogniseKnownCall(recogniser, arrival, call, known);
  newCalls.set(callKey, call);
  add(recogniser, arrival, call);
  noteComposition(plan, arrival, memory.locked.compositions);
  return STORED;
}

/** A further report of a call, from this stream or another. */
function recogniseKnownCall(
  recogniser: Recogniser,
  arrival: Arrival,
  call: PlacedCall,
  known: PlacedCall,
): ItemOutcome {
  const { plan, memory, newCalls } = recogniser;
  const isSameStream = known.streamId === call.streamId;
  const isBetter = sourceCode(call.source) < sourceCode(known.source);
  const isEarlier = isSameStream && call.seq < known.seq;
  const merge = mergeCalls(known.item, call.item, isBetter || isEarlier ? 'incoming' : 'stored');
  if (merge.kind === 'conflict') {
    const { kind: _kind, ...refused } = merge;
    return refuse(memory, arrival, refused);
  }
  const hasComposition = noteComposition(plan, arrival, memory.locked.compositions);
  const isAmended = merge.kind === 'amended' || hasComposition;
  const outcome = isAmended ? AMENDED : isSameStream ? UNCHANGED : DUPLICATE;
  const item = merge.kind === 'amended' ? merge.item : known.item;
  if (isEarlier) {
    moveCall(recogniser, arrival, { ...call, item: { ...item, seq: call.seq, at: call.runnerTime } }, known);
    return outcome;
  }
  noteDelivery(memory, arrival, isAmended ? DELIVERY_OUTCOME.amendment : DELIVERY_OUTCOME.duplicate, null);
  if (isAmended || isBetter) noteActivity(plan, arrival);
  if (merge.kind === 'amended' || isBetter) {
    const source = isBetter ? call.source : known.source;
    if (newCalls.get(call.callKey) === known) {
      Object.assign(known, { item, source });
      known.arrivals.push(arrival);
    } else {
      plan.changed.set(call.callKey, { ...known, item, source });
    }
  }
  return outcome;
}

/** The same stream reported it before, later in time: the row belongs where its lowest seq belongs. */
function moveCall(recogniser: Recogniser, arrival: Arrival, call: PlacedCall, known: PlacedCall): void {
  const { plan, memory, newCalls } = recogniser;
  const { streamId, seq, hash, serverTime: receivedAt } = known;
  const outcome = DELIVERY_OUTCOME.amendment;
  memory.deliveries.push({ streamId, seq, hash, outcome, refusal: null, receivedAt });
  const isNew = newCalls.get(call.callKey) === known;
  const row = { ...call, source: known.source, arrivals: isNew ? [arrival, ...known.arrivals] : [arrival] };
  if (isNew) removeItem(plan, known);
  else plan.moved.set(call.callKey, known);
  plan.changed.delete(call.callKey);
  newCalls.set(call.callKey, row);
  add(recogniser, arrival, row);
}

function recogniseReport(recogniser: Recogniser, arrival: Arrival): ItemOutcome {
  const { plan, memory, newReports } = recogniser;
  const { streamId } = arrival.stream;
  const stored = memory.locked.reports.byHash.get(`${plan.session.id} ${arrival.hash}`) ?? [];
  const ofBatch = newReports.get(arrival.hash) ?? new Set();
  // The same to the millisecond from another queue is the same report. One stream may repeat itself.
  if ([...stored, ...ofBatch].some((other) => other !== streamId)) {
    noteDelivery(memory, arrival, DELIVERY_OUTCOME.duplicate, null);
    return DUPLICATE;
  }
  if (!openContext(recogniser, arrival.item)) {
    const reason = `a chain has at most ${MAX_NUMBER + 1} contexts`;
    return refuse(memory, arrival, { code: 'unstorable', field: '', reason });
  }
  newReports.set(arrival.hash, ofBatch.add(streamId));
  const report = carrier(arrival);
  add(recogniser, arrival, report);
  noteClaim(plan, arrival, report);
  return STORED;
}

/**
 * Count the context that a boundary opens.
 *
 * @returns whether its number can be stored
 */
function openContext({ plan, contexts }: Recogniser, item: Item): boolean {
  const isBoundary =
    item.type === 'restart' ||
    item.type === 'clear' ||
    (item.type === 'compaction' && item.state === 'confirmed');
  if (!isBoundary) return true;
  const chain = ('chain' in item && item.chain) || MAIN_CHAIN;
  const index = contexts.get(chain) ?? plan.chains.get(chain)?.fold?.context.index ?? 0;
  if (index >= MAX_NUMBER) return false;
  contexts.set(chain, index + 1);
  return true;
}

/**
 * Put the composition of an arrival into the plan, where it is the newest report of its call.
 *
 * @returns whether it was
 */
function noteComposition(plan: SessionPlan, arrival: Arrival, known: KnownCompositions): boolean {
  const report = compositionOf(arrival);
  if (!report) return false;
  const before =
    plan.compositions.get(report.callKey) ?? known.get(plan.session.id)?.get(report.callKey) ?? null;
  if (before && !isNewer(report, before)) return false;
  plan.compositions.set(report.callKey, report);
  return true;
}

type Rank = Omit<CompositionReport, 'composition'>;

/** The better source wins; in one stream the later seq; between streams of one source the later time. */
function isNewer(report: Rank, before: Rank): boolean {
  if (report.source !== before.source) return report.source < before.source;
  if (report.streamId === before.streamId) return report.seq > before.seq;
  return report.runnerTime > before.runnerTime;
}

function carrier(arrival: Arrival): PlacedItem {
  const { stream, item, hash, callKey, receivedAt, clock } = arrival;
  return {
    position: 0,
    streamId: stream.streamId,
    seq: item.seq,
    hash,
    callKey,
    source: stream.source,
    // A column holds whole milliseconds; folding again must see the same time.
    runnerTime: Math.floor(item.at),
    serverTime: receivedAt,
    clock,
    item,
    arrivals: [arrival],
  };
}

function add({ plan, memory }: Recogniser, arrival: Arrival, item: PlacedItem): void {
  placeItem(plan, item, memory.locked.maxSeq.get(plan.session.id)?.get(item.streamId) ?? 0);
  plan.sources |= 1 << sourceCode(arrival.stream.source);
  noteActivity(plan, arrival);
}

function noteActivity(plan: SessionPlan, { receivedAt }: Arrival): void {
  plan.lastActivityAt = Math.max(plan.lastActivityAt, receivedAt);
}

function noteClaim(plan: SessionPlan, { item, stream }: Arrival, by: PlacedItem): void {
  if (item.type !== 'session_start' && item.type !== 'session_alias' && item.type !== 'restart') return;
  const { clientSessionId, client = null } = item;
  if (clientSessionId === undefined) return;
  plan.claims.push({ client, clientSessionId, by, projectId: stream.projectId });
}

function refuseSeq(recogniser: Recogniser, arrival: Arrival): ItemOutcome {
  const outcome = refuse(recogniser.memory, arrival, {
    code: 'seq_conflict',
    field: 'seq',
    reason: `seq ${arrival.item.seq} of this stream came before with other content`,
  });
  markLoss(recogniser, arrival, 'seq_conflict');
  return outcome;
}

/**
 * A refused turn of a call that is not stored is missing from the sums: a gap is stored under the negative seq, which no
 * stream can use.
 */
function markLoss({ plan, memory, newCalls }: Recogniser, arrival: Arrival, code: RefusalCode): void {
  const { item, stream, callKey } = arrival;
  if (item.type !== 'turn' || callKey === null || plan.session.deletedAt !== null) return;
  const { id } = plan.session;
  if (newCalls.has(callKey) || memory.locked.calls.get(id)?.has(callKey)) return;
  const key = deliveryKey(stream.streamId, -item.seq);
  if (memory.settled.has(key) || memory.locked.reports.byDelivery.has(`${id} ${key}`)) return;
  memory.settled.set(key, { hash: arrival.hash, outcome: STORED });
  const gap = gapForRefusedTurn(item, code);
  plan.tail.push({ ...carrier(arrival), seq: -item.seq, callKey: null, item: gap });
  noteActivity(plan, arrival);
}

/** Refuse an item that was accepted before its sums were known. */
export function refusePlaced(memory: BatchMemory, placed: PlacedItem, refused: Refused): void {
  for (const arrival of placed.arrivals) memory.outcomes.set(arrival, refuse(memory, arrival, refused));
}

/** Refuse an item for good and remember why: a resend gets the same answer. */
function refuse(memory: BatchMemory, arrival: Arrival, refused: Refused): ItemOutcome {
  noteDelivery(memory, arrival, DELIVERY_OUTCOME.refused, refused);
  return { outcome: 'refused', ...refused };
}

function noteDelivery(
  memory: BatchMemory,
  { stream, item, hash, receivedAt }: Arrival,
  outcome: DeliveryRecord['outcome'],
  refusal: Refused | null,
): void {
  memory.deliveries.push({ streamId: stream.streamId, seq: item.seq, hash, outcome, refusal, receivedAt });
}
