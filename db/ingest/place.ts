/**
 * The order of a session's items. Within a stream `seq` decides; between streams, arrival: a new item goes behind
 * everything the session has, unless its own stream delivered a later seq already, then just before that one.
 */
import type postgres from 'postgres';
import { toJsonText } from '../json-text';
import type { LockedSession, PlacedItem, SessionPlan } from './types';

/** Distance between items that follow each other: room for twenty late ones in between, halving each time. */
export const STRIDE = 2 ** 20;
/** Position of a session's first item: as much room before it. */
const FIRST_POSITION = 2 ** 40;
/** Rows that are spread at first; the whole rest of the session when their space is used up too. */
const SPREAD_ROWS = 4_096;
/** Spreading is worth it when neighbours end up at least this far apart. */
const MIN_SPREAD = 1_024;

/**
 * Put a new item among the new ones; `storedMaxSeq`: the highest seq that its stream has among the stored rows of the
 * session. One that is late to the stored rows is set aside: its place must be looked up.
 */
export function placeItem(plan: SessionPlan, item: PlacedItem, storedMaxSeq: number): void {
  const { streamId, seq } = item;
  if (seq < storedMaxSeq) {
    plan.late.push(item);
    return;
  }
  const highest = plan.maxSeq.get(streamId) ?? storedMaxSeq;
  if (seq < highest) {
    joinTail(plan, item);
    return;
  }
  plan.maxSeq.set(streamId, seq);
  plan.tail.push(item);
}

/** Put an item that belongs behind all stored ones before the later seqs of its own stream. */
function joinTail({ tail }: SessionPlan, item: PlacedItem): void {
  const next = tail.findIndex(({ streamId, seq }) => streamId === item.streamId && seq > item.seq);
  if (next === -1) tail.push(item);
  else tail.splice(next, 0, item);
}

/** Take a new item out again, before it is placed elsewhere. */
export function removeItem(plan: SessionPlan, item: PlacedItem): void {
  for (const items of [plan.tail, plan.late]) {
    const index = items.indexOf(item);
    if (index !== -1) items.splice(index, 1);
  }
}

/** Give the tail its positions; returns the last one. */
export function numberTail({ tail }: SessionPlan, lastPosition: number): number {
  let position = lastPosition;
  for (const item of tail) {
    position = position === 0 ? FIRST_POSITION : position + STRIDE;
    item.position = position;
  }
  return position;
}

/**
 * Give every new item of the plan its position, between stored rows where it is late; makes room where there is none.
 * Late items that turn out to follow everything join the tail.
 *
 * @returns the last position of the session, and the lowest one that changed (null: only appended)
 */
export async function placeLate(
  tx: postgres.TransactionSql,
  plan: SessionPlan,
): Promise<{ lastPosition: number; from: number | null }> {
  let { lastPosition } = plan.session;
  let spreadFrom = Number.MAX_SAFE_INTEGER;
  for (let attempt = 0; plan.late.length > 0; attempt += 1) {
    const gaps = await groupByGap(tx, plan);
    const crowded = gaps.filter(({ positions }) => positions === null);
    if (crowded.length === 0) {
      const first = numberGaps(gaps);
      const from = first === null ? null : Math.min(first, spreadFrom);
      return { lastPosition: numberTail(plan, lastPosition), from };
    }
    if (attempt === 3) throw new Error('no room for late items after spreading their neighbours');
    const lowest = Math.min(...crowded.map(({ previous }) => previous));
    // Every row behind it gets another position.
    spreadFrom = Math.min(spreadFrom, lowest + 1);
    lastPosition = await spreadRows(tx, plan.session, lowest, lastPosition, attempt > 0);
    await updatePositions(tx, plan);
  }
  return { lastPosition: numberTail(plan, lastPosition), from: null };
}

/** Read the positions of the plan's stored calls again. */
async function updatePositions(
  tx: postgres.TransactionSql,
  { session, changed, moved }: SessionPlan,
): Promise<void> {
  const keys = [...changed.keys(), ...moved.keys()];
  if (keys.length === 0) return;
  const rows = await tx<{ callKey: string; position: number }[]>`
    select call_key::text as "callKey", position from turns
    where session_id = ${session.id} and call_key = any(${`{${keys}}`}::text::bigint[])`;
  for (const { callKey, position } of rows) {
    for (const calls of [changed, moved]) {
      const call = calls.get(callKey);
      if (call) calls.set(callKey, { ...call, position });
    }
  }
}

interface Gap {
  previous: number;
  anchor: number;
  items: PlacedItem[];
  /** Null: no room. */
  positions: number[] | null;
}

async function groupByGap(tx: postgres.TransactionSql, plan: SessionPlan): Promise<Gap[]> {
  const places = await findLatePlaces(tx, plan.session, plan.late);
  const gaps = new Map<number, Gap>();
  const late: PlacedItem[] = [];
  plan.late.forEach((item, index) => {
    const place = places[index];
    if (!place) {
      joinTail(plan, item);
      return;
    }
    late.push(item);
    const gap = gaps.get(place.anchor) ?? { ...place, items: [], positions: null };
    gap.items.push(item);
    gaps.set(place.anchor, gap);
  });
  plan.late = late;
  for (const gap of gaps.values()) {
    gap.items.sort((a, b) => a.seq - b.seq);
    gap.positions = positionsBetween(gap.previous, gap.anchor, gap.items.length);
  }
  return [...gaps.values()];
}

function numberGaps(gaps: readonly Gap[]): number | null {
  let first: number | null = null;
  for (const { items, positions } of gaps) {
    items.forEach((item, index) => {
      item.position = positions?.[index] ?? 0;
      first = Math.min(first ?? item.position, item.position);
    });
  }
  return first;
}

/**
 * Positions for `count` items between two stored ones (both exclusive; `after` 0: nothing before), evenly spread; null:
 * there is no room.
 */
function positionsBetween(after: number, before: number, count: number): number[] | null {
  // Before the first item of a session there is nothing to share the room with.
  const floor = after === 0 ? Math.max(0, before - STRIDE * (count + 1)) : after;
  const room = before - floor;
  if (room <= count) return null;
  return Array.from({ length: count }, (_, index) => floor + Math.floor((room * (index + 1)) / (count + 1)));
}

/** The place of a late item: before `anchor`, behind `previous` (0: nothing); null: behind everything. */
interface LatePlace {
  anchor: number;
  previous: number;
}

/**
 * Where late items belong: just before the first row of their own stream with a later seq. Along a stream the positions
 * rise with the seqs, so the search goes backwards from the session's end, as far as must be folded again anyway.
 */
async function findLatePlaces(
  tx: postgres.TransactionSql,
  session: LockedSession,
  items: readonly PlacedItem[],
): Promise<(LatePlace | null)[]> {
  const keys = items.map(({ streamId, seq }, index) => ({ i: index, t: streamId, q: seq }));
  const found = await tx<{ i: number; anchor: number | null; previous: number }[]>`
    with s as (select ${session.id}::bigint as id)
    select r.i, anchor.p as anchor, previous.p as previous
    from s, json_to_recordset(${toJsonText(keys)}::text::json) as r (i int, t int, q bigint)
    cross join lateral (
      select greatest(
        (select position from turns x where x.session_id = s.id and x.stream_id = r.t
          and x.seq < r.q order by position desc limit 1),
        (select position from reports x where x.session_id = s.id and x.stream_id = r.t
          and x.seq < r.q and x.seq > 0 order by position desc limit 1),
        0) as p
    ) before
    cross join lateral (
      select least(
        (select position from turns x where x.session_id = s.id and x.stream_id = r.t
          and x.seq > r.q and x.position > before.p order by position limit 1),
        (select position from reports x where x.session_id = s.id and x.stream_id = r.t
          and x.seq > r.q and x.position > before.p order by position limit 1)) as p
    ) anchor
    cross join lateral (
      select greatest(
        (select position from turns x where x.session_id = s.id
          and x.position < anchor.p order by position desc limit 1),
        (select position from reports x where x.session_id = s.id
          and x.position < anchor.p order by position desc limit 1),
        0) as p
    ) previous`;
  const places: (LatePlace | null)[] = items.map(() => null);
  for (const { i, anchor, previous } of found) {
    if (anchor !== null) places[i] = { anchor, previous };
  }
  return places;
}

/**
 * Move the rows behind a position apart, without changing their order. Events follow with the recomputation that a late
 * item makes anyway. Positions go below zero on the way, so that no two rows ever claim the same one.
 *
 * @returns the last position of the session afterwards
 */
async function spreadRows(
  tx: postgres.TransactionSql,
  session: LockedSession,
  after: number,
  lastPosition: number,
  wholeRest: boolean,
): Promise<number> {
  const { id } = session;
  const [rows] = await tx<{ count: number; bound: number | null }[]>`
    select count(*)::int as count, max(position) as bound from (
      select position from (
        select position from turns where session_id = ${id} and position > ${after}
        union all
        select position from reports where session_id = ${id} and position > ${after}
      ) x order by position limit ${wholeRest ? null : SPREAD_ROWS}
    ) y`;
  if (!rows?.bound) return lastPosition;
  const { count, bound } = rows;
  const isWholeRest = bound >= lastPosition;
  const step = isWholeRest ? STRIDE : Math.floor((bound - after) / count);
  if (step < MIN_SPREAD) return spreadRows(tx, session, after, lastPosition, true);
  await tx`
    with n as materialized (
      select position as was, ${after}::bigint + row_number() over (order by position) * ${step}::bigint as position
      from (
        select position from turns where session_id = ${id} and position > ${after} and position <= ${bound}
        union all
        select position from reports where session_id = ${id} and position > ${after} and position <= ${bound}
      ) x
    ),
    spread_turns as (
      update turns x set position = -n.position from n where x.session_id = ${id} and x.position = n.was
    )
    update reports x set position = -n.position from n where x.session_id = ${id} and x.position = n.was`;
  await tx`update turns set position = -position where session_id = ${id} and position < 0`;
  await tx`update reports set position = -position where session_id = ${id} and position < 0`;
  await tx`delete from checkpoints where session_id = ${id} and position > ${after}`;
  return isWholeRest ? after + count * step : lastPosition;
}
