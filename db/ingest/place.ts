/**
 * Assigns positions to new items. Within a stream, `seq` decides the order. A new item follows all stored items, with
 * two exceptions: it goes before the items of its own stream with a later seq, and before the items of other sources
 * with a later time. A call that a better source reports keeps its position if the order of that source allows it.
 */
import type postgres from 'postgres';
import { TURN_BITS } from '../codes/turn-bits';
import { groupBy } from '../group-by';
import { arrayOf, milliseconds } from '../tables';
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
  let gaps = await takeGaps(tx, plan);
  const crowded = gaps.filter((gap) => roomOf(gap) <= gap.items.length).map(({ previous }) => previous);
  if (crowded.length > 0) {
    // The rows from this position on move.
    from = Math.min(...crowded) + 1;
    await spreadRows(tx, plan, from - 1, crowded.length === 1);
    gaps = await takeGaps(tx, plan);
  }
  for (const gap of gaps) {
    const room = roomOf(gap);
    for (const [index, item] of gap.items.entries()) {
      item.position = gap.anchor - room + Math.floor((room * (index + 1)) / (gap.items.length + 1));
      from = Math.min(from, item.position);
    }
  }
  for (const item of plan.tail) {
    next.lastPosition = next.lastPosition === 0 ? FIRST_POSITION : next.lastPosition + STRIDE;
    item.position = next.lastPosition;
  }
  return from;
}

/** Items that go between the rows at the positions `previous` (0: no row) and `anchor`. */
interface Gap {
  previous: number;
  anchor: number;
  items: PlacedItem[];
}

/** Number of positions that are free for a gap's items. Before the first row, all positions are free. */
function roomOf({ previous, anchor, items }: Gap): number {
  return previous === 0 ? Math.min(anchor, STRIDE * (items.length + 1)) : anchor - previous;
}

/** Move the items that precede stored rows from the tail to `late`. */
async function takeGaps(tx: postgres.TransactionSql, plan: SessionPlan): Promise<Gap[]> {
  for (const item of plan.late.splice(0)) joinTail(plan, item);
  const gaps = [...(await findGaps(tx, plan)).values()];
  const late = new Set(gaps.flatMap(({ items }) => items));
  plan.late.push(...late);
  plan.tail.splice(0, plan.tail.length, ...plan.tail.filter((item) => !late.has(item)));
  return gaps;
}

/** A stored row that new items may precede. */
type StoredPlace = Pick<PlacedItem, 'position' | 'streamId' | 'seq' | 'source'> & { at: number };

/**
 * Find the gaps, by anchor, for items that do not go to the end. Each item stays behind the earlier items of its
 * stream.
 */
async function findGaps(tx: postgres.TransactionSql, plan: SessionPlan): Promise<Map<number, Gap>> {
  const gaps = new Map<number, Gap>();
  const { session, tail, moved, chains, storedSeq } = plan;
  const sources = tail.reduce((bits, { source }) => bits | (1 << source), session.sources & 15);
  const isShared = (sources & (sources - 1)) !== 0;
  if (isShared) mergeByTime(tail);
  const times = [session.fold.latestAt ?? 0, ...[...chains.values()].map(({ fold }) => fold?.time ?? 0)];
  // The fold of a session that waits for its worker lacks the newest items.
  const isStale = session.recomputeFrom !== null;
  const latest = isShared ? (isStale ? Number.POSITIVE_INFINITY : Math.max(...times)) : 0;
  const isLate = ({ streamId, seq }: PlacedItem) => seq > 0 && seq < (storedSeq.get(streamId) ?? 0);
  const early = tail.filter((item) => isLate(item) || item.runnerTime < latest);
  const former = [...moved.values()].map(({ position }) => position);
  if (early.length === 0 && former.length === 0) return gaps;
  const rows = await readPlaces(tx, plan, isShared, early, former);
  const behind = new Map<number, number>();
  for (const item of tail) {
    const { streamId, seq, source, runnerTime, callKey } = item;
    const own = rows.findLast((row) => row.streamId === streamId && row.seq > 0 && row.seq < seq);
    const floor = Math.max(own?.position ?? 0, behind.get(streamId) ?? 0);
    const before = (callKey === null ? null : moved.get(callKey)?.position) ?? 0;
    const next = rows.findIndex((row) => {
      if (row.position <= floor) return false;
      if (row.streamId === streamId) return seq > 0 && row.seq > seq;
      return before > floor ? row.position > before : row.source !== source && row.at > runnerTime;
    });
    const anchor = rows[next]?.position;
    const previous = rows[next - 1]?.position ?? 0;
    behind.set(streamId, anchor === undefined ? Number.POSITIVE_INFINITY : previous);
    if (anchor === undefined) continue;
    const gap = gaps.get(anchor) ?? { previous, anchor, items: [] };
    gap.items.push(item);
    gaps.set(anchor, gap);
  }
  return gaps;
}

/**
 * Read the stored rows from the last row before the places of all items, and only as far as seqs can need them. Leave out
 * the rows at the `former` positions.
 */
async function readPlaces(
  tx: postgres.TransactionSql,
  { session: { id: sessionId }, storedSeq }: SessionPlan,
  isShared: boolean,
  early: readonly PlacedItem[],
  former: readonly number[],
): Promise<StoredPlace[]> {
  // A gap that replaced a refused turn has a negative seq, which has no order among the seqs of its stream.
  const own = early.filter(({ seq }) => seq > 0);
  const keys = [...groupBy(own, ({ streamId }) => streamId)].map(([t, items]) => ({
    t,
    q: items.reduce((least, { seq }) => Math.min(least, seq), Number.MAX_SAFE_INTEGER),
    m: items.reduce((most, { seq }) => Math.max(most, seq), 0),
  }));
  const isBySeq = !isShared && former.length === 0;
  const since = early.reduce(
    (least, { runnerTime }) => Math.min(least, runnerTime),
    Number.POSITIVE_INFINITY,
  );
  const time = isShared && early.length > 0 ? since / 1000 : null;
  const columns = tx`position, stream_id, seq, bits, runner_time`;
  /** The aggregate ends its scan of the primary key at the first row. */
  const lowest = (condition: postgres.PendingQuery<postgres.Row[]>) => tx`least(
    (select min(x.position) from turns x where x.session_id = ${sessionId} and ${condition}),
    (select min(x.position) from reports x where x.session_id = ${sessionId} and ${condition})
  )`;
  const streams = (key: 'q' | 'm') => {
    const behind = keys.filter((each) => each[key] < (storedSeq.get(each.t) ?? 0));
    return tx`unnest(${arrayOf(behind, 't')}::text::int[], ${arrayOf(behind, key)}::text::bigint[]) as r (t, q)`;
  };
  const later = tx`x.stream_id = r.t and x.seq > r.q`;
  const rows = await tx<StoredPlace[]>`
    with first as materialized (
      select least(
        (select min(${lowest(later)}) from ${streams('q')}),
        ${time === null ? tx`null` : lowest(tx`x.runner_time > to_timestamp(${time}::float8)`)},
        ${Math.min(...former, Number.MAX_SAFE_INTEGER)}::bigint
      ) as position
    ),
    bounds as materialized (
      select
        greatest(
          (select max(position) from turns where session_id = ${sessionId} and position < f.position),
          (select max(position) from reports where session_id = ${sessionId} and position < f.position)
        ) as previous,
        (
          select max(${lowest(tx`${later} and x.position >= f.position`)}) from ${streams('m')} where ${isBySeq}
        ) as last
      from first f
    )
    select position, stream_id as "streamId", seq, (bits >> ${TURN_BITS.sourceShift}) & 3 as source,
      ${tx.unsafe(milliseconds('runner_time'))} as at
    from (
      select ${columns} from turns where session_id = ${sessionId}
      union all
      select ${columns} from reports where session_id = ${sessionId}
    ) x
    where position >= coalesce((select previous from bounds), 0)
      and position <= coalesce((select last from bounds), ${Number.MAX_SAFE_INTEGER}::bigint)
    order by position`;
  return rows.filter(({ position }) => !former.includes(position));
}

/** Merge the streams of a tail by time without changing the order of a stream. */
function mergeByTime(tail: PlacedItem[]): void {
  const latest = new Map<number, number>();
  const times = new Map<PlacedItem, number>();
  for (const item of tail) {
    const time = Math.max(item.runnerTime, latest.get(item.streamId) ?? 0);
    latest.set(item.streamId, time);
    times.set(item, time);
  }
  tail.sort((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0));
}

/** Rows that move to make room in one gap. */
const SPREAD_ROWS = 64;

/**
 * Spread the rows after a position; a refold follows. Temporary negative positions avoid collisions.
 * @param isOneGap move only the next rows, if they have room
 */
async function spreadRows(
  tx: postgres.TransactionSql,
  plan: SessionPlan,
  after: number,
  isOneGap: boolean,
): Promise<void> {
  const { id } = plan.session;
  const places = (position: postgres.PendingQuery<postgres.Row[]>) => tx`
    select position from turns where session_id = ${id} and position > ${after} ${position}
    union all
    select position from reports where session_id = ${id} and position > ${after} ${position}`;
  const [next] = isOneGap
    ? await tx<{ end: number }[]>`
        select position as end from (${places(tx``)}) x order by position offset ${SPREAD_ROWS} limit 1`
    : [];
  const near = next ? Math.floor((next.end - after) / (SPREAD_ROWS + 1)) : 0;
  const end = near > STRIDE / 2 ? next?.end : undefined;
  const step = end === undefined ? STRIDE : near;
  await tx`
    with n as materialized (
      select position as was, ${after}::bigint + row_number() over (order by position) * ${step}::bigint as position
      from (${places(end === undefined ? tx`` : tx`and position < ${end}`)}) x
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
