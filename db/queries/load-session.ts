import { setImmediate as others } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Session } from '../../core/api/session';
import type { Clock } from './clock';
import { findSession, type SessionRef } from './find-session';
import { existing, livenessFacts, type SessionRow, selectSessions, toSession } from './session-row';

export interface LoadedSession {
  session: Session;
  ref: SessionRef;
}

/** Null: unknown id. For an adopted session, loads the adopting session, to which readers should be redirected. */
export async function loadSession(
  sql: postgres.ISql,
  publicId: string,
  clock: Clock,
): Promise<LoadedSession | null> {
  const ref = await findSession(sql, publicId);
  if (!ref) return null;
  const [row] = await sql<SessionRow[]>`${selectSessions(sql, sql`s.id = ${ref.id} and ${existing(sql)}`)}`;
  return row ? { session: toSession(row, clock), ref } : null;
}

export interface LiveSession {
  session: Session;
  /** Inputs of the session's liveness, from which a feed computes when the session turns idle. */
  facts: ReturnType<typeof livenessFacts>;
}

/** Sessions by their public ids, for a feed; missing sessions are left out. */
export async function loadLiveSessions(
  sql: postgres.ISql,
  publicIds: readonly string[],
  clock: Clock,
): Promise<LiveSession[]> {
  if (publicIds.length === 0) return [];
  const rows = await sql<SessionRow[]>`
    ${selectSessions(sql, sql`s.public_id = any(${sql.array([...publicIds], 2950)}) and ${existing(sql)}`)}`;
  return toLive(rows, clock);
}

/** The most recently active sessions, for the feed's first snapshot. */
export async function loadRecentSessions(
  sql: postgres.ISql,
  limit: number,
  clock: Clock,
): Promise<LiveSession[]> {
  const rows = await sql<SessionRow[]>`
    ${selectSessions(
      sql,
      sql`s.id = any(array(
        select s.id from sessions s where ${existing(sql)}
        order by coalesce(s.last_activity_at, s.started_at) desc limit ${limit}
      ))`,
    )}
    order by coalesce(s.last_activity_at, s.started_at) desc, s.id desc`;
  return toLive(rows, clock);
}

function toLive(rows: readonly SessionRow[], clock: Clock): Promise<LiveSession[]> {
  return mapInSlices(rows, (row) => ({ session: toSession(row, clock), facts: livenessFacts(row) }));
}

/** Maximum time to block the event loop, which also acknowledges turns and serves pages. */
const SLICE_MS = 8;

/** `map` that pauses for the event loop, because the rows of a large fleet take a second. */
export async function mapInSlices<Row, Value>(
  rows: readonly Row[],
  map: (row: Row) => Value,
): Promise<Value[]> {
  const values: Value[] = [];
  let until = performance.now() + SLICE_MS;
  for (const row of rows) {
    if (performance.now() >= until) {
      await others();
      until = performance.now() + SLICE_MS;
    }
    values.push(map(row));
  }
  return values;
}
