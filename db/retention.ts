/**
 * Removes sessions that their project no longer keeps (`keepTurnDays`, `keepTurns`). Months without kept sessions lose their
 * partitions, other months lose rows. Tombstones and the sums of history remain.
 */
import type postgres from 'postgres';
import { ownerOf } from './access';
import { clearSessions } from './delete-session';
import type { TouchedSession } from './ingest/types';
import { notifySessions } from './notify-sessions';
import {
  dropMonth,
  forgetMonths,
  listMonths,
  lockPartitions,
  monthAt,
  SESSIONS_PER_MONTH,
} from './partitions';
import { projectTranscripts } from './queries/project-settings';
import { transact } from './transact';

const BATCH_SIZE = 100;
/**
 * Dropping a partition blocks ingest, so the drop waits at most this long for its lock. A deadlock usually ends with
 * this timeout, before the `deadlock_timeout` of Postgres (1 s) cancels a batch or a page.
 */
const LOCK_TIMEOUT_MS = 800;
const DAY_MS = 86_400_000;

type Cutoffs = readonly { project: number; before: string }[];

/**
 * Each batch is one transaction, which is committed before its sessions are yielded.
 * @param lockTimeoutMs longest wait for the lock with which a month is dropped
 */
export async function* retireSessions(
  sql: postgres.Sql,
  now: number,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): AsyncGenerator<TouchedSession[]> {
  const cutoffs = await readCutoffs(sql, now);
  if (cutoffs.length === 0) return;
  for (const month of await listMonths(sql)) {
    if (month >= monthAt(now, now)) break;
    const touched = await dropExpiredMonth(sql, month, cutoffs, lockTimeoutMs);
    if (touched.length > 0) yield touched;
  }
  for (;;) {
    const touched = await transact(sql, async (tx) => {
      const sessions = await lockExpired(tx, cutoffs, tx`order by s.id limit ${BATCH_SIZE}`);
      await retire(tx, sessions, false);
      return sessions;
    });
    if (touched.length === 0) return;
    yield touched;
  }
}

async function readCutoffs(sql: postgres.Sql, now: number): Promise<Cutoffs> {
  const projects = await sql<{ id: number; settings: unknown }[]>`
    select id, settings from projects where settings ? 'transcripts' order by id`;
  const cutoffs: { project: number; before: string }[] = [];
  for (const { id, settings } of projects) {
    const { keepTurnDays: days, keepTurns } = projectTranscripts(settings).own;
    const before = Math.max(
      days === null ? Number.NEGATIVE_INFINITY : now - days * DAY_MS,
      keepTurns === null
        ? Number.NEGATIVE_INFINITY
        : Math.min(await findSizeCutoff(sql, id, keepTurns), now - DAY_MS),
    );
    if (Number.isFinite(before)) cutoffs.push({ project: id, before: new Date(before).toISOString() });
  }
  return cutoffs;
}

const LAST_ACTIVITY = 'greatest(s.started_at, s.last_turn_at, s.ended_at)';

/** Sessions without activity since this time, milliseconds, exceed the number of turns; -Infinity: none. */
async function findSizeCutoff(sql: postgres.Sql, project: number, keepTurns: number): Promise<number> {
  const [row] = await sql<{ at: number | null }[]>`
    select (extract(epoch from max(at)) * 1000)::float8 as at from (
      select ${sql.unsafe(LAST_ACTIVITY)} as at,
        sum(s.turn_count) over (order by ${sql.unsafe(LAST_ACTIVITY)} desc, s.id desc) as turns
      from sessions s where s.project_id = ${project} and s.deleted_at is null and s.adopted_by is null
    ) newest where turns > ${keepTurns}`;
  return row?.at == null ? Number.NEGATIVE_INFINITY : Math.floor(row.at) + 1;
}

/** Whether the session `s` has expired and its history is rolled up. */
function isExpired(sql: postgres.ISql, cutoffs: Cutoffs) {
  return sql`(s.deleted_at is null and s.adopted_by is null
    and ${sql.unsafe(LAST_ACTIVITY)} < (
      select before from json_to_recordset(${JSON.stringify(cutoffs)}::text::json) as c (project int, before timestamptz)
      where c.project = s.project_id)
    and not exists (select from history_changes h where h.session_id = s.id))`;
}

/** Skips a month with a session that is kept or being written to. */
async function dropExpiredMonth(
  sql: postgres.Sql,
  month: number,
  cutoffs: Cutoffs,
  lockTimeoutMs: number,
): Promise<TouchedSession[]> {
  const from = month * SESSIONS_PER_MONTH;
  const ofMonth = sql`s.id >= ${from} and s.id < ${from + SESSIONS_PER_MONTH} and s.deleted_at is null
    and s.adopted_by is null`;
  const [kept] = await sql`
    select from sessions s where ${ofMonth} and not coalesce(${isExpired(sql, cutoffs)}, false) limit 1`;
  if (kept) return [];
  const touched = await transact(ownerOf(sql), async (tx) => {
    await tx`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`;
    await lockPartitions(tx);
    const sessions = await lockExpired(tx, cutoffs, tx`and ${ofMonth} order by s.id`);
    const all = await tx`select from sessions s where ${ofMonth}`;
    if (all.length !== sessions.length) return [];
    await retire(tx, sessions, true);
    await dropMonth(tx, month);
    return sessions;
  });
  forgetMonths(sql);
  return touched;
}

/** Lock expired sessions, except those that a batch is writing to. */
async function lockExpired(
  tx: postgres.TransactionSql,
  cutoffs: Cutoffs,
  rest: postgres.PendingQuery<postgres.Row[]>,
) {
  const locked = await tx<{ id: number }[]>`
    select s.id from sessions s where ${isExpired(tx, cutoffs)} ${rest} for update skip locked`;
  // The first query cannot see the history changes of a batch that committed while it ran.
  return tx<TouchedSession[]>`
    select s.id, s.public_id as "publicId", s.version + 1 as version from sessions s
    where s.id = any(${`{${locked.map(({ id }) => id)}}`}::text::bigint[]) and ${isExpired(tx, cutoffs)}`;
}

async function retire(
  tx: postgres.TransactionSql,
  sessions: readonly TouchedSession[],
  areDropped: boolean,
): Promise<void> {
  if (sessions.length === 0) return;
  const ids = sessions.map(({ id }) => id);
  await clearSessions(tx, ids, true, areDropped);
  await notifySessions(tx, sessions);
}
