/** Positions for late rows, between rows that are stored; makes room where there is none. */
import type postgres from 'postgres';
import type { LockedSession } from './lock-batch';
import { joinTail, numberTail, positionsBetween, STRIDE } from './place-rows';
import { findLatePlaces } from './read-known';
import type { NewRow, SessionPlan } from './session-plan';

/** Rows that are spread anew at first; the whole rest of the session when their space is used up too. */
const SPREAD_ROWS = 4_096;
/** Spreading is worth it when neighbours end up at least this far apart. */
const MIN_SPREAD = 1_024;

/**
 * Gives every new row of the plan its position. Late rows that turn out to stand behind everything join the tail.
 *
 * @returns the last position of the session, and the lowest one that changed (null: only appended).
 */
export async function placeLate(
  tx: postgres.TransactionSql,
  plan: SessionPlan,
): Promise<{ lastPosition: number; from: number | null }> {
  let { lastPosition } = plan.session;
  let from: number | null = null;
  if (plan.late.length > 0) {
    let spreadFrom = Number.MAX_SAFE_INTEGER;
    for (let attempt = 0; ; attempt += 1) {
      const gaps = await groupByGap(tx, plan);
      const crowded = gaps.filter(({ positions }) => positions === null);
      if (crowded.length === 0) {
        const first = numberGaps(gaps);
        from = first === null ? null : Math.min(first, spreadFrom);
        break;
      }
      if (attempt === 3) throw new Error('no room for late items after spreading their neighbours');
      const lowest = Math.min(...crowded.map(({ previous }) => previous));
      // Every row behind it stands elsewhere from now on.
      spreadFrom = Math.min(spreadFrom, lowest + 1);
      lastPosition = await spreadRows(tx, plan.session, lowest, lastPosition, attempt > 0);
      await findAgain(tx, plan);
    }
  }
  return { lastPosition: numberTail(plan, lastPosition), from };
}

/** Stored calls of the plan may stand elsewhere now. */
async function findAgain(
  tx: postgres.TransactionSql,
  { session, changed, moved }: SessionPlan,
): Promise<void> {
  const keys = [...changed.keys(), ...moved.keys()];
  if (keys.length === 0) return;
  const rows = await tx<{ callKey: string; position: number }[]>`
    select call_key::text as "callKey", position from turns
    where month = ${session.month} and session_id = ${session.id} and call_key = any(${`{${keys}}`}::text::bigint[])`;
  for (const { callKey, position } of rows) {
    for (const calls of [changed, moved]) {
      const record = calls.get(callKey);
      if (record) calls.set(callKey, { ...record, position });
    }
  }
}

interface Gap {
  previous: number;
  anchor: number;
  rows: NewRow[];
  positions: number[] | null;
}

async function groupByGap(tx: postgres.TransactionSql, plan: SessionPlan): Promise<Gap[]> {
  const places = await findLatePlaces(tx, plan.session, plan.late);
  const gaps = new Map<number, Gap>();
  const still: NewRow[] = [];
  plan.late.forEach((row, index) => {
    const place = places[index];
    if (!place) {
      joinTail(plan, row);
      return;
    }
    still.push(row);
    const gap = gaps.get(place.anchor) ?? { ...place, rows: [], positions: null };
    gap.rows.push(row);
    gaps.set(place.anchor, gap);
  });
  plan.late = still;
  for (const gap of gaps.values()) {
    gap.rows.sort((a, b) => a.record.seq - b.record.seq);
    gap.positions = positionsBetween(gap.previous, gap.anchor, gap.rows.length);
  }
  return [...gaps.values()];
}

function numberGaps(gaps: readonly Gap[]): number | null {
  let from: number | null = null;
  for (const { rows, positions } of gaps) {
    rows.forEach((row, index) => {
      const position = positions?.[index];
      if (position === undefined) throw new TypeError('a late row has no position');
      row.record.position = position;
      from = from === null ? position : Math.min(from, position);
    });
  }
  return from;
}

/**
 * Moves the rows behind a position apart, without changing their order. Events follow with the recomputation that
 * a late item makes anyway. Positions go below zero on the way, so that no two rows ever claim the same one.
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
  const { id, month } = session;
  const [rows] = await tx<{ count: number; bound: number | null }[]>`
    select count(*)::int as count, max(position) as bound from (
      select position from (
        select position from turns where month = ${month} and session_id = ${id} and position > ${after}
        union all
        select position from reports where month = ${month} and session_id = ${id} and position > ${after}
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
        select position from turns
        where month = ${month} and session_id = ${id} and position > ${after} and position <= ${bound}
        union all
        select position from reports
        where month = ${month} and session_id = ${id} and position > ${after} and position <= ${bound}
      ) x
    ),
    spread_turns as (
      update turns x set position = -n.position from n
      where x.month = ${month} and x.session_id = ${id} and x.position = n.was
    )
    update reports x set position = -n.position from n
    where x.month = ${month} and x.session_id = ${id} and x.position = n.was`;
  await tx`update turns set position = -position where month = ${month} and session_id = ${id} and position < 0`;
  await tx`update reports set position = -position where month = ${month} and session_id = ${id} and position < 0`;
  await tx`delete from checkpoints where month = ${month} and session_id = ${id} and position > ${after}`;
  return isWholeRest ? after + count * step : lastPosition;
}
