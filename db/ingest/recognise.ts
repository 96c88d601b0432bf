/**
 * Classifies each item in order of arrival: a new row, a repetition, an update of a stored call, or a refusal. This
 * step only collects changes; later steps write them.
 */
import { gapForRefusedTurn } from '../../core/accounting/apply-session';
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { Item } from '../../core/protocol/items';
import type { RefusalCode } from '../../core/protocol/messages';
import { isSameSpending, mergeCalls } from './columns';
import { joinTail } from './place';
import {
  type Arrival,
  arrivalsOf,
  chainOf,
  DELIVERY_OUTCOME,
  deliveryKey,
  hasUnmatched,
  type ItemOutcome,
  MAX_NUMBER,
  type PlacedCall,
  type PlacedItem,
  type Refused,
  type SessionPlan,
  unnamedBit,
} from './types';
import { type Batch, noteDelivery, refuse } from './write';

type CallArrival = Extract<Arrival, { callKey: string }>;
type ReportArrival = Exclude<Arrival, CallArrival>;

const STORED: ItemOutcome = { outcome: 'stored' };
const DUPLICATE: ItemOutcome = { outcome: 'duplicate' };
const AMENDED: ItemOutcome = { outcome: 'amended' };
const UNCHANGED: ItemOutcome = { outcome: 'unchanged' };

/** @returns whether the session changes */
export function recogniseItems(batch: Batch, plan: SessionPlan): boolean {
  for (const arrival of plan.arrivals) {
    const before = batch.settled.get(arrival.key);
    let outcome = before?.outcome.outcome === 'refused' ? before.outcome : DUPLICATE;
    if (!before) {
      outcome = recognise(batch, plan, arrival);
      batch.settled.set(arrival.key, { hash: arrival.hash, outcome });
    } else if (before.hash !== arrival.hash) outcome = refuseSeq(batch, plan, arrival);
    batch.outcomes.set(arrival, outcome);
  }
  const { tail, changed, moved, compositions, newAliases } = plan;
  const count = tail.length + changed.size + moved.size + compositions.size + newAliases.size;
  const { projectRank, sources } = plan.session;
  return count > 0 || plan.next.projectRank !== projectRank || plan.next.sources !== sources;
}

function recognise(batch: Batch, plan: SessionPlan, arrival: Arrival): ItemOutcome {
  const { refusal } = arrival;
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
  if (!openChain(plan, chainOf(arrival.item))) {
    const reason = `a session has at most ${MAX_NUMBER} chains besides main`;
    return refuse(batch, arrival, { code: 'unstorable', field: 'chain', reason });
  }
  plan.next.sources |= 1 << arrival.source;
  return arrival.callKey === null
    ? recogniseReport(batch, plan, arrival)
    : recogniseCall(batch, plan, arrival);
}

/** Handle a seq with a stored outcome: acknowledge equal content again, and refuse other content. */
function recogniseSeq(batch: Batch, plan: SessionPlan, arrival: Arrival): ItemOutcome {
  const { key, streamId, seq, hash, callKey } = arrival;
  const call = callKey === null ? undefined : (plan.moved.get(callKey) ?? plan.findCall(callKey));
  const isOwn = call?.streamId === streamId && call.seq === seq;
  const own = callKey === null ? plan.reports.get(key) : isOwn ? call.hash : undefined;
  if (own !== undefined) return own === hash ? DUPLICATE : refuseSeq(batch, plan, arrival);
  const refusal = batch.resent.get(`${key} ${hash}`);
  if (refusal === undefined) return refuseSeq(batch, plan, arrival);
  return refusal ? { outcome: 'refused', ...refusal } : DUPLICATE;
}

function recogniseCall(batch: Batch, plan: SessionPlan, call: CallArrival): ItemOutcome {
  const { callKey, otherKeys } = call;
  const keys = [callKey, ...otherKeys];
  const known = keys.reduce<PlacedCall | undefined>((found, key) => {
    const other = plan.findCall(key);
    // A further id does not identify this call if a call with other figures has the same id.
    if (!other || (key !== callKey && mergeCalls(other, call).kind === 'conflict')) return found;
    return found && found !== other ? joinCalls(batch, plan, found, other) : other;
  }, undefined);
  const same = known ?? matchByUsage(plan, call);
  const named = call.item.call === undefined ? [] : keys;
  for (const key of named) if (!plan.findCall(key)) plan.addAlias(key, same?.callKey ?? callKey);
  if (same) return recogniseKnownCall(batch, plan, call, same);
  plan.candidates.push(callKey);
  if (call.item.call === undefined) plan.next.sources |= unnamedBit(call.source);
  plan.calls.set(callKey, call);
  add(plan, call);
  if (call.composition) noteComposition(plan, call, callKey);
  return STORED;
}

/** Find the next call of another source that has no common id with this call, but the same place and usage. */
function matchByUsage(plan: SessionPlan, call: CallArrival): PlacedCall | undefined {
  const { item, source } = call;
  if (item.type !== 'turn' || !hasUnmatched(plan.next.sources, source, item.call !== undefined))
    return undefined;
  const { candidates } = plan;
  const first = plan.matched.get(source) ?? 0;
  for (let i = 0; i < candidates.length; i += 1) {
    const place = (first + i) % candidates.length;
    const known = plan.calls.get(candidates[place] ?? '');
    if (!known || !isSameSpending(known, call)) continue;
    plan.matched.set(source, place + 1);
    return known;
  }
  return undefined;
}

/** Join two calls that an item names as one. The row of the better source stays. @returns the call */
function joinCalls(batch: Batch, plan: SessionPlan, one: PlacedCall, two: PlacedCall): PlacedCall {
  const [kept, joined] = two.source < one.source ? [two, one] : [one, two];
  const merge = mergeCalls(kept, joined);
  // Two calls of one source with different figures stay separate.
  if (merge.kind === 'conflict') return one;
  dropCall(batch, plan, joined);
  plan.joinAliases(joined.callKey, kept.callKey);
  const arrivals = arrivalsOf(kept).length === 0 ? [] : [...arrivalsOf(kept), ...arrivalsOf(joined)];
  return growCall(plan, kept, { ...kept, item: merge.item, figures: merge.figures, arrivals });
}

/** Remove a call after its reports became part of another row. */
function dropCall(batch: Batch, plan: SessionPlan, call: PlacedCall): void {
  noteDelivery(batch.writes, call, DELIVERY_OUTCOME.amendment);
  if (arrivalsOf(call).length > 0) plan.replace(call);
  else plan.moved.set(call.callKey, call);
  plan.changed.delete(call.callKey);
  plan.calls.delete(call.callKey);
}

function growCall(plan: SessionPlan, known: PlacedCall, grown: PlacedCall): PlacedCall {
  plan.calls.set(known.callKey, grown);
  if (arrivalsOf(known).length > 0) plan.replace(known, grown);
  else plan.changed.set(known.callKey, grown);
  return grown;
}

/** A further report of a call, from this stream or another. */
function recogniseKnownCall(
  batch: Batch,
  plan: SessionPlan,
  call: CallArrival,
  known: PlacedCall,
): ItemOutcome {
  const { callKey } = known;
  const isSameStream = known.streamId === call.streamId;
  const isEarlier = isSameStream && call.seq < known.seq;
  const merge = mergeCalls(known, call, isEarlier);
  if (merge.kind === 'conflict') return refuse(batch, call, merge.refused);
  const hasComposition = noteComposition(plan, call, callKey);
  const isAmended = merge.isAmended || hasComposition;
  const outcome = isAmended ? AMENDED : isSameStream ? UNCHANGED : DUPLICATE;
  const { item, figures } = merge;
  const source = Math.min(call.source, known.source);
  const before = arrivalsOf(known);
  // A call has the place and time of its best source.
  if (isEarlier || source < known.source) {
    const { seq, runnerTime: at } = call;
    const placed = { source, figures, arrivals: [call, ...before] };
    const moved = { ...call, callKey, item: { ...item, seq, at }, ...placed };
    moveCall(batch, plan, moved, known);
    return outcome;
  }
  noteDelivery(batch.writes, call, isAmended ? DELIVERY_OUTCOME.amendment : DELIVERY_OUTCOME.duplicate);
  if (isAmended) noteActivity(plan, call);
  if (merge.isAmended || figures !== known.figures) {
    const arrivals = before.length > 0 ? [...before, call] : before;
    growCall(plan, known, { ...known, item, source, figures, arrivals });
  }
  return outcome;
}

/** Move a call to its place in a better source, or to an earlier seq of its stream. */
function moveCall(batch: Batch, plan: SessionPlan, call: PlacedCall, known: PlacedCall): void {
  dropCall(batch, plan, known);
  plan.calls.set(known.callKey, call);
  add(plan, call);
}

function recogniseReport(batch: Batch, plan: SessionPlan, report: ReportArrival): ItemOutcome {
  const { streamId, hash, item } = report;
  const reporters = plan.reporters.get(hash) ?? [];
  // An equal report from another stream is a duplicate. An equal report from the same stream is a new report.
  if (reporters.some((other) => other !== streamId)) {
    noteDelivery(batch.writes, report, DELIVERY_OUTCOME.duplicate);
    return DUPLICATE;
  }
  if (!openContext(plan, item)) {
    const reason = `a chain has at most ${MAX_NUMBER + 1} contexts`;
    return refuse(batch, report, { code: 'unstorable', field: '', reason });
  }
  plan.reporters.set(hash, [...reporters, streamId]);
  add(plan, report);
  if ('clientSessionId' in item && item.clientSessionId !== undefined) plan.claims.push(report);
  return STORED;
}

/** Count a chain that has no row. @returns whether the chain's number fits its column */
function openChain({ chains, newChains, next }: SessionPlan, chain: string): boolean {
  if (chain === MAIN_CHAIN || chains.has(chain) || newChains.has(chain)) return true;
  if (next.chainCount + newChains.size > MAX_NUMBER) return false;
  newChains.add(chain);
  return true;
}

/** Count the context that a boundary opens. @returns whether the context's number fits its column */
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

/**
 * Keep one composition per call. The better source wins, then the later seq of one stream, else the later time.
 * @returns whether the composition of the arrival is kept
 */
function noteComposition(plan: SessionPlan, call: CallArrival, callKey: string): boolean {
  const { streamId, seq, source, runnerTime, composition } = call;
  if (composition === undefined) return false;
  const before = plan.compositions.get(callKey) ?? plan.storedCompositions.get(callKey);
  if (before) {
    const isSameStream = streamId === before.streamId;
    const isLater = isSameStream ? seq > before.seq : runnerTime > before.runnerTime;
    if (source === before.source ? !isLater : source > before.source) return false;
  }
  plan.compositions.set(callKey, { callKey, streamId, seq, source, runnerTime, composition });
  return true;
}

/** Put an item at the end, or before later items of its stream. `placeItems` places an item before stored items. */
function add(plan: SessionPlan, item: PlacedItem): void {
  const { streamId, seq } = item;
  const highest = plan.maxSeq.get(streamId) ?? plan.storedSeq.get(streamId) ?? 0;
  if (seq < highest) joinTail(plan, item);
  else {
    plan.maxSeq.set(streamId, seq);
    plan.tail.push(item);
  }
  noteActivity(plan, item);
}

function noteActivity({ next }: SessionPlan, { serverTime }: Pick<Arrival, 'serverTime'>): void {
  next.lastActivityAt = Math.max(next.lastActivityAt ?? 0, serverTime);
}

function refuseSeq(batch: Batch, plan: SessionPlan, arrival: Arrival): ItemOutcome {
  const reason = `seq ${arrival.seq} of this stream was already used with other content`;
  markLoss(batch, plan, arrival, 'seq_conflict');
  return refuse(batch, arrival, { code: 'seq_conflict', field: 'seq', reason });
}

/** Add a gap for a refused turn of an unknown call. The gap's seq is negative, so it never equals a seq of a stream. */
function markLoss(batch: Batch, plan: SessionPlan, arrival: Arrival, code: RefusalCode): void {
  const { item, streamId, callKey, hash } = arrival;
  if (
    arrival.refusal?.code === 'not_yours' ||
    item.type !== 'turn' ||
    callKey === null ||
    plan.session.deletedAt !== null
  )
    return;
  if (plan.findCall(callKey)) return;
  const key = deliveryKey(streamId, -item.seq);
  if (batch.settled.has(key) || plan.reports.has(key)) return;
  batch.settled.set(key, { hash, outcome: STORED });
  const gap = gapForRefusedTurn(item, code);
  plan.tail.push({ ...arrival, seq: -item.seq, callKey: null, item: gap });
  noteActivity(plan, arrival);
}
