/**
 * Assigns positions to new items. Within a stream, `seq` decides the order. Between streams, the time of arrival does.
 * A new item follows all stored items, unless its own stream already delivered a later seq. Then the new item is placed
 * just before the item with that seq.
 */
import type postgres from 'postgres';
import { toJsonText } from '../json-text';
import { type PlacedItem, type SessionPlan, STRIDE } from './types';

/** Position of a session's first item. */
const FIRST_POSITION = 2 ** 40;

/** Put an item into the tail, before the later seqs of its own stream. */
export function joinTail({ tail }: SessionPlan, item: PlacedItem): void {
  const next = tail.findIndex(({ streamId, seq }) => streamId === item.streamId && seq > item.seq);
  tail.splice(next === -1 ? tail.length : next, 0, item);
}

/**
 * Give every new item a position, and move stored rows if there is no room.
 * @returns the lowest position of a late item or a moved row. Without such a row: the largest number.
 */
export async function placeItems(tx: postgres.TransactionSql, plan: SessionPlan): Promise<number> {
  let from = Number.MAX_SAFE_INTEGER;
  const { next } = plan;
  let gaps = plan.late.length === 0 ? [] : await groupByGap(tx, plan);
  const crowded = gaps.filter(({ positions }) => positions === null).map(({ previous }) => previous);
  if (crowded.length > 0) {
    const lowest = Math.min(...crowded);
    // Every row after this position moves.
    from = lowest + 1;
    await spreadRows(tx, plan, lowest);
    gaps = await groupByGap(tx, plan);
  }
  for (const { items, positions } of gaps) {
    items.forEach((item, index) => {
      const position = positions?.[index];
      if (position === undefined) throw new Error('no room for late items after spreading their neighbours');
      item.position = position;
      from = Math.min(from, position);
    });
  }
  for (const item of plan.tail) {
    next.lastPosition = next.lastPosition === 0 ? FIRST_POSITION : next.lastPosition + STRIDE;
    item.position = next.lastPosition;
  }
  return from;
}

/** A place for late items, between the rows at `previous` (0: no row) and `anchor`. */
interface Gap {
  previous: number;
  anchor: number;
  items: PlacedItem[];
  /** Null if there is no room. */
  positions: number[] | null;
}

async function groupByGap(tx: postgres.TransactionSql, plan: SessionPlan): Promise<Gap[]> {
  const places = await findLatePlaces(tx, plan);
  const gaps = new Map<number, Gap>();
  for (const item of plan.late) {
    const place = places.get(item);
    if (!place) {
      joinTail(plan, item);
      continue;
    }
    const gap = gaps.get(place.anchor) ?? { ...place, items: [], positions: null };
    gap.items.push(item);
    gaps.set(place.anchor, gap);
  }
  plan.late = plan.late.filter((item) => places.has(item));
  for (const gap of gaps.values()) {
    gap.items.sort((a, b) => a.seq - b.seq);
    gap.positions = positionsBetween(gap.previous, gap.anchor, gap.items.length);
  }
  return [...gaps.values()];
}

/** Evenly spread positions between two stored positions (`after` 0: no position before). Null if there is no room. */
function positionsBetween(after: number, before: number, count: number): number[] | null {
  // All positions before the first row are free.
  const floor = after === 0 ? Math.max(0, before - STRIDE * (count + 1)) : after;
  const room = before - floor;
  if (room <= count) return null;
  return Array.from({ length: count }, (_, index) => floor + Math.floor((room * (index + 1)) / (count + 1)));
}

/**
 * For each late item, find the first row of its stream with a later seq. The result omits items without such a row.
 * Positions of a stream rise with seq, so the search starts at the end.
 */
async function findLatePlaces(
  tx: postgres.TransactionSql,
  { session, late }: SessionPlan,
): Promise<Map<PlacedItem, { anchor: number; previous: number }>> {
  const keys = late.map(({ streamId, seq }, index) => ({ i: index, t: streamId, q: seq }));
  const nearest = (which: string, order: 'asc' | 'desc') => {
    const of = (table: string) =>
      `(select position from ${table} x where x.session_id = s.id and ${which} order by position ${order} limit 1)`;
    // `least` and `greatest` ignore null.
    return tx.unsafe(`${order === 'asc' ? 'least' : 'greatest'}(${of('turns')}, ${of('reports')})`);
  };
  const found = await tx<{ i: number; anchor: number; previous: number }[]>`
    with s as (select ${session.id}::bigint as id)
    select r.i, anchor.p as anchor, coalesce(previous.p, 0) as previous
    from s, json_to_recordset(${toJsonText(keys)}::text::json) as r (i int, t int, q bigint)
    cross join lateral (
      select ${nearest('x.stream_id = r.t and x.seq < r.q and x.seq > 0', 'desc')} as p
    ) before
    cross join lateral (
      select ${nearest('x.stream_id = r.t and x.seq > r.q and x.position > coalesce(before.p, 0)', 'asc')} as p
    ) anchor
    cross join lateral (select ${nearest('x.position < anchor.p', 'desc')} as p) previous
    where anchor.p is not null`;
  return new Map(found.flatMap(({ i, ...place }) => (late[i] ? [[late[i], place]] : [])));
}

/**
 * Spread the rows after a position; a refold follows. Positions are temporarily negative, so that no two rows collide.
 */
async function spreadRows(tx: postgres.TransactionSql, plan: SessionPlan, after: number): Promise<void> {
  const { id } = plan.session;
  await tx`
    with n as materialized (
      select position as was, ${after}::bigint + row_number() over (order by position) * ${STRIDE}::bigint as position
      from (
        select position from turns where session_id = ${id} and position > ${after}
        union all
        select position from reports where session_id = ${id} and position > ${after}
      ) x
    ),
    spread_turns as (
      update turns x set position = -n.position from n where x.session_id = ${id} and x.position = n.was
    )
    update reports x set position = -n.position from n where x.session_id = ${id} and x.position = n.was`;
  await tx`update turns set position = -position where session_id = ${id} and position < 0`;
  await tx`update reports set position = -position where session_id = ${id} and position < 0`;
  await tx`delete from checkpoints where session_id = ${id} and position > ${after}`;
  for (const calls of [plan.changed, plan.moved]) {
    const rows = await tx<{ callKey: string; position: number }[]>`
      select call_key::text as "callKey", position from turns
      where session_id = ${id} and call_key = any(${`{${[...calls.keys()]}}`}::text::bigint[])`;
    for (const { callKey, position } of rows) {
      const call = calls.get(callKey);
      if (call) calls.set(callKey, { ...call, position });
    }
  }
  const [row] = await tx<{ last: number }[]>`
    select greatest((select max(position) from turns where session_id = ${id}),
      (select max(position) from reports where session_id = ${id})) as last`;
  if (row) plan.next.lastPosition = row.last;
}
