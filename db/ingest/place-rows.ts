/**
 * The order of a session's items. Within a stream `seq` decides; between streams, arrival: a new item goes behind
 * everything the session has, unless its own stream delivered a later seq already, then just before that one.
 */
import type { NewRow, SessionPlan } from './session-plan';

/** Distance between items that follow each other: room for twenty late ones in between, halving each time. */
export const STRIDE = 2 ** 20;
/** Position of a session's first item: as much room before it. */
const FIRST_POSITION = 2 ** 40;

/**
 * Puts a new row into its place among the new ones; `storedMaxSeq`: the highest seq that its stream has among the
 * stored rows of the session. One that is late to the stored rows is set aside, for they must be asked.
 */
export function placeRow(plan: SessionPlan, row: NewRow, storedMaxSeq: number): void {
  const { streamId, seq } = row.record;
  if (seq < storedMaxSeq) {
    plan.late.push(row);
    return;
  }
  const highest = plan.maxSeq.get(streamId) ?? storedMaxSeq;
  if (seq >= highest) {
    plan.maxSeq.set(streamId, seq);
    plan.tail.push(row);
    return;
  }
  joinTail(plan, row);
}

/** Puts a row that belongs behind all stored ones among the new ones: before the later seqs of its own stream. */
export function joinTail({ tail }: SessionPlan, row: NewRow): void {
  const { streamId, seq } = row.record;
  const next = tail.findIndex(({ record }) => record.streamId === streamId && record.seq > seq);
  if (next === -1) tail.push(row);
  else tail.splice(next, 0, row);
}

/** Takes a new row out again: it comes back in another place. */
export function removeRow(plan: SessionPlan, row: NewRow): void {
  for (const rows of [plan.tail, plan.late]) {
    const index = rows.indexOf(row);
    if (index !== -1) rows.splice(index, 1);
  }
}

/** Gives the tail its positions; returns the last one. */
export function numberTail(plan: SessionPlan, lastPosition: number): number {
  let position = lastPosition;
  for (const { record } of plan.tail) {
    position = position === 0 ? FIRST_POSITION : position + STRIDE;
    record.position = position;
  }
  return position;
}

/**
 * Positions for `count` rows between two stored ones (both exclusive; `after` 0: nothing before), evenly spread;
 * null: there is no room.
 */
export function positionsBetween(after: number, before: number, count: number): number[] | null {
  // Before the first item of a session there is nothing to share the room with.
  const floor = after === 0 ? Math.max(0, before - STRIDE * (count + 1)) : after;
  const room = before - floor;
  if (room <= count) return null;
  return Array.from({ length: count }, (_, index) => floor + Math.floor((room * (index + 1)) / (count + 1)));
}
