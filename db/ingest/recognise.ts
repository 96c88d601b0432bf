/**
 * Decides what becomes of each item, in order of arrival: a new row, a repetition, an update of a stored call, or a
 * refusal. Writes nothing.
 */
import { gapForRefusedTurn } from '../../core/accounting/apply-session';
import type { Item, ItemOf } from '../../core/protocol/items';
import type { RefusalCode } from '../../core/protocol/messages';
import { sourceCode } from '../codes/sources';
import { mergeCalls, normalCall } from './columns';
import { placeItem, removeItem } from './place';
import {
  type Arrival,
  type CompositionRank,
  chainOf,
  DELIVERY_OUTCOME,
  deliveryKey,
  type ItemOutcome,
  MAX_NUMBER,
  type PlacedCall,
  type PlacedItem,
  type PlacedReport,
  type Refused,
  type SessionPlan,
} from './types';
import type { Batch } from './write';

const STORED: ItemOutcome = { outcome: 'stored' };
const DUPLICATE: ItemOutcome = { outcome: 'duplicate' };
const AMENDED: ItemOutcome = { outcome: 'amended' };
const UNCHANGED: ItemOutcome = { outcome: 'unchanged' };

/** @returns whether anything changes in the session */
export function recogniseItems(batch: Batch, plan: SessionPlan): boolean {
  for (const arrival of plan.arrivals) {
    const key = deliveryKey(arrival.stream.streamId, arrival.item.seq);
    const before = batch.settled.get(key);
    const outcome = before ? repeat(batch, plan, arrival, before) : recognise(batch, plan, arrival);
    if (!before) batch.settled.set(key, { hash: arrival.hash, outcome });
    batch.outcomes.set(arrival, outcome);
  }
  const { tail, late, changed, moved, compositions, owner, session } = plan;
  const count = tail.length + late.length + changed.size + moved.size + compositions.size;
  return count > 0 || owner !== session.owner;
}

function repeat(
  batch: Batch,
  plan: SessionPlan,
  arrival: Arrival,
  before: { hash: string; outcome: ItemOutcome },
): ItemOutcome {
  if (before.hash !== arrival.hash) return refuseSeq(batch, plan, arrival);
  return before.outcome.outcome === 'refused' ? before.outcome : DUPLICATE;
}

function recognise(batch: Batch, plan: SessionPlan, arrival: Arrival): ItemOutcome {
  const { item, refusal } = arrival;
  if (plan.session.deletedAt !== null) {
    const refused: Refused = plan.session.retired
      ? { code: 'retired', field: 'session', reason: 'the retention of the project removed this session' }
      : { code: 'session_deleted', field: 'session', reason: 'this session was deleted' };
    return refuse(batch, arrival, refused);
  }
  if (arrival.isResent) return recogniseSeq(batch, plan, arrival);
  if (refusal) {
    markLoss(batch, plan, arrival, refusal.code);
    return refuse(batch, arrival, refusal);
  }
  return item.type === 'turn' || item.type === 'reading'
    ? recogniseCall(batch, plan, arrival, item)
    : recogniseReport(batch, plan, arrival);
}

/** The seq was settled before: the same content is acknowledged again, another one is refused. */
function recogniseSeq(batch: Batch, plan: SessionPlan, arrival: Arrival): ItemOutcome {
  const { item, stream, hash, callKey } = arrival;
  const key = deliveryKey(stream.streamId, item.seq);
  const call = callKey === null ? undefined : (plan.moved.get(callKey) ?? plan.calls.get(callKey));
  const isOwn = call?.streamId === stream.streamId && call.seq === item.seq;
  const own = callKey === null ? plan.reports.get(key) : isOwn ? call.hash : undefined;
  if (own !== undefined) return own === hash ? DUPLICATE : refuseSeq(batch, plan, arrival);
  const known = batch.resent.get(key)?.find((delivery) => delivery.hash === hash);
  if (!known) return refuseSeq(batch, plan, arrival);
  return known.refusal ? { outcome: 'refused', ...known.refusal } : DUPLICATE;
}

function recogniseCall(
  batch: Batch,
  plan: SessionPlan,
  arrival: Arrival,
  item: ItemOf<'turn'> | ItemOf<'reading'>,
): ItemOutcome {
  const { callKey, stream } = arrival;
  if (callKey === null) throw new TypeError('a call has a call key');
  if (item.type === 'turn' && !item.inherited) plan.owner = Math.min(plan.owner, sourceCode(stream.source));
  const call: PlacedCall = { ...carrier(arrival), callKey, item: normalCall(item, callKey) };
  const known = plan.calls.get(callKey);
  if (known) return recogniseKnownCall(batch, plan, arrival, call, known);
  plan.calls.set(callKey, call);
  add(plan, arrival, call);
  noteComposition(plan, arrival, callKey);
  return STORED;
}

/** A further report of a call, from this stream or another. */
function recogniseKnownCall(
  batch: Batch,
  plan: SessionPlan,
  arrival: Arrival,
  call: PlacedCall,
  known: PlacedCall,
): ItemOutcome {
  const { callKey } = call;
  const isSameStream = known.streamId === call.streamId;
  const isBetter = sourceCode(call.source) < sourceCode(known.source);
  const isEarlier = isSameStream && call.seq < known.seq;
  const merge = mergeCalls(known.item, call.item, isBetter || isEarlier ? 'incoming' : 'stored');
  if (merge.kind === 'conflict') return refuse(batch, arrival, merge.refused);
  const hasComposition = noteComposition(plan, arrival, callKey);
  const isAmended = merge.kind === 'amended' || hasComposition;
  const outcome = isAmended ? AMENDED : isSameStream ? UNCHANGED : DUPLICATE;
  const item = merge.kind === 'amended' ? merge.item : known.item;
  if (isEarlier) {
    const moved = { ...call, item: { ...item, seq: call.seq, at: call.runnerTime } };
    moveCall(batch, plan, arrival, moved, known);
    return outcome;
  }
  noteDelivery(batch, arrival, isAmended ? DELIVERY_OUTCOME.amendment : DELIVERY_OUTCOME.duplicate, null);
  if (isAmended || isBetter) noteActivity(plan, arrival);
  if (merge.kind === 'amended' || isBetter) {
    const source = isBetter ? call.source : known.source;
    if (isNew(known)) {
      Object.assign(known, { item, source });
      known.arrivals.push(arrival);
    } else {
      const changed = { ...known, item, source };
      plan.changed.set(callKey, changed);
      plan.calls.set(callKey, changed);
    }
  }
  return outcome;
}

const isNew = (call: PlacedCall): boolean => call.arrivals.length > 0;

/** The same stream reported it before, later in time: the row belongs where its lowest seq belongs. */
function moveCall(
  batch: Batch,
  plan: SessionPlan,
  arrival: Arrival,
  call: PlacedCall,
  known: PlacedCall,
): void {
  const { callKey, streamId, seq, hash, serverTime: receivedAt } = known;
  const outcome = DELIVERY_OUTCOME.amendment;
  batch.writes.deliveries.push({ streamId, seq, hash, outcome, refusal: null, receivedAt });
  if (isNew(known)) removeItem(plan, known);
  else plan.moved.set(callKey, known);
  plan.changed.delete(callKey);
  const row = { ...call, source: known.source, arrivals: [arrival, ...known.arrivals] };
  plan.calls.set(callKey, row);
  add(plan, arrival, row);
}

function recogniseReport(batch: Batch, plan: SessionPlan, arrival: Arrival): ItemOutcome {
  const { streamId } = arrival.stream;
  const reporters = plan.reporters.get(arrival.hash) ?? [];
  // The same to the millisecond from another queue is the same report. One stream may repeat itself.
  if (reporters.some((other) => other !== streamId)) {
    noteDelivery(batch, arrival, DELIVERY_OUTCOME.duplicate, null);
    return DUPLICATE;
  }
  if (!openContext(plan, arrival.item)) {
    const reason = `a chain has at most ${MAX_NUMBER + 1} contexts`;
    return refuse(batch, arrival, { code: 'unstorable', field: '', reason });
  }
  plan.reporters.set(arrival.hash, [...reporters, streamId]);
  const report: PlacedReport = { ...carrier(arrival), callKey: null, item: arrival.item };
  add(plan, arrival, report);
  noteClaim(plan, arrival, report);
  return STORED;
}

/** Count the context that a boundary opens. @returns whether its number can be stored */
function openContext({ chains, contexts }: SessionPlan, item: Item): boolean {
  const isBoundary =
    item.type === 'restart' ||
    item.type === 'clear' ||
    (item.type === 'compaction' && item.state === 'confirmed');
  if (!isBoundary) return true;
  const chain = chainOf(item);
  const index = contexts.get(chain) ?? chains.get(chain)?.fold?.context.index ?? 0;
  contexts.set(chain, Math.min(index + 1, MAX_NUMBER));
  return index < MAX_NUMBER;
}

/** @returns whether the arrival brings the newest composition of its call */
function noteComposition(plan: SessionPlan, { item, stream }: Arrival, callKey: string): boolean {
  // A side call carries another history than its chain's.
  if (item.type !== 'turn' || item.composition === undefined || item.scope === 'side') return false;
  const { streamId } = stream;
  const { composition, seq } = item;
  const source = sourceCode(stream.source);
  const report = { callKey, streamId, seq, source, runnerTime: Math.floor(item.at), composition };
  const before = plan.compositions.get(callKey) ?? plan.storedCompositions.get(callKey);
  if (before && !isNewer(report, before)) return false;
  plan.compositions.set(callKey, report);
  return true;
}

/** The better source wins; in one stream the later seq; between streams of one source the later time. */
function isNewer(report: CompositionRank, before: CompositionRank): boolean {
  if (report.source !== before.source) return report.source < before.source;
  if (report.streamId === before.streamId) return report.seq > before.seq;
  return report.runnerTime > before.runnerTime;
}

function carrier(arrival: Arrival) {
  const { stream, item, hash, receivedAt, clock } = arrival;
  return {
    position: 0,
    streamId: stream.streamId,
    seq: item.seq,
    hash,
    source: stream.source,
    // A column holds whole milliseconds; folding again must see the same time.
    runnerTime: Math.floor(item.at),
    serverTime: receivedAt,
    clock,
    arrivals: [arrival],
  };
}

function add(plan: SessionPlan, arrival: Arrival, item: PlacedItem): void {
  placeItem(plan, item);
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

function refuseSeq(batch: Batch, plan: SessionPlan, arrival: Arrival): ItemOutcome {
  const reason = `seq ${arrival.item.seq} of this stream came before with other content`;
  markLoss(batch, plan, arrival, 'seq_conflict');
  return refuse(batch, arrival, { code: 'seq_conflict', field: 'seq', reason });
}

/** A refused turn of an unknown call is missing from the sums: a gap gets the negative seq, which no stream can use. */
function markLoss(batch: Batch, plan: SessionPlan, arrival: Arrival, code: RefusalCode): void {
  const { item, stream, callKey } = arrival;
  if (item.type !== 'turn' || callKey === null || plan.session.deletedAt !== null) return;
  if (plan.calls.has(callKey)) return;
  const key = deliveryKey(stream.streamId, -item.seq);
  if (batch.settled.has(key) || plan.reports.has(key)) return;
  batch.settled.set(key, { hash: arrival.hash, outcome: STORED });
  const gap = gapForRefusedTurn(item, code);
  plan.tail.push({ ...carrier(arrival), seq: -item.seq, callKey: null, item: gap });
  noteActivity(plan, arrival);
}

/** Refuse an item that was accepted before its sums were known. */
export function refusePlaced(batch: Batch, placed: PlacedItem, refused: Refused): void {
  for (const arrival of placed.arrivals) batch.outcomes.set(arrival, refuse(batch, arrival, refused));
}

/** Refuse an item for good and remember why: a resend gets the same answer. */
function refuse(batch: Batch, arrival: Arrival, refused: Refused): ItemOutcome {
  noteDelivery(batch, arrival, DELIVERY_OUTCOME.refused, refused);
  return { outcome: 'refused', ...refused };
}

function noteDelivery(
  batch: Batch,
  { stream, item, hash, receivedAt }: Arrival,
  outcome: number,
  refusal: Refused | null,
): void {
  const { streamId } = stream;
  batch.writes.deliveries.push({ streamId, seq: item.seq, hash, outcome, refusal, receivedAt });
}
