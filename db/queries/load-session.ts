import type postgres from 'postgres';
import type { Session } from '../../core/api/session';
import type { Clock } from './clock';
import { findSession, type SessionRef } from './find-session';
import { mapInSlices } from './map-in-slices';
import { existing, livenessFacts, type SessionRow, selectSessions, toSession } from './session-row';

export interface LoadedSession {
  session: Session;
  /** For the other queries about it. */
  ref: SessionRef;
}

/**
 * A session by its public id; null when there is none. An id that was adopted gives the session its items
 * moved to: `session.id` then differs from the id that was asked for, and a reader should be sent there.
 */
export async function loadSession(
  sql: postgres.ISql,
  publicId: string,
  clock: Clock,
): Promise<LoadedSession | null> {
  const ref = await findSession(sql, publicId);
  if (!ref) return null;
  const rows = await sql<SessionRow[]>`${selectSessions(sql)} where s.id = ${ref.id} and ${existing(sql)}`;
  const row = rows[0];
  if (!row) return null;
  return { session: toSession(row, clock), ref };
}

export interface LiveSession {
  session: Session;
  /** Facts its liveness follows from, so that a feed can tell when it turns idle. */
  facts: ReturnType<typeof livenessFacts>;
}

/** Sessions by their public ids, for a feed; what does not exist (any more) is missing from the answer. */
export async function loadLiveSessions(
  sql: postgres.ISql,
  publicIds: readonly string[],
  clock: Clock,
): Promise<LiveSession[]> {
  if (publicIds.length === 0) return [];
  const rows = await sql<SessionRow[]>`
    ${selectSessions(sql)} where s.public_id = any(${sql.array([...publicIds], 2950)}) and ${existing(sql)}`;
  return toLive(rows, clock);
}

/** The most recently active sessions, for the feed's first snapshot. */
export async function loadRecentSessions(
  sql: postgres.ISql,
  limit: number,
  clock: Clock,
): Promise<LiveSession[]> {
  const rows = await sql<SessionRow[]>`
    ${selectSessions(sql)}
    where s.id = any(array(
      select s.id from sessions s where ${existing(sql)}
      order by coalesce(s.last_activity_at, s.started_at) desc limit ${limit}
    ))
    order by coalesce(s.last_activity_at, s.started_at) desc, s.id desc`;
  return toLive(rows, clock);
}

function toLive(rows: readonly SessionRow[], clock: Clock): Promise<LiveSession[]> {
  return mapInSlices(rows, (row) => ({ session: toSession(row, clock), facts: livenessFacts(row) }));
}
