/** What every change of notes does to their session: one at a time, and live pages hear of it. */
import type postgres from 'postgres';
import { notifySessions } from '../../ingest/notify';
import { findSession, type SessionRef } from '../find-session';

export interface NotedSession extends SessionRef {
  startedAt: Date;
  lastTurnAt: Date | null;
}

/** The session of an id, or the one that took it over, locked until the transaction ends. Null: there is none. */
export async function lockSession(
  tx: postgres.TransactionSql,
  publicId: string,
): Promise<NotedSession | null> {
  const ref = await findSession(tx, publicId);
  if (!ref) return null;
  const [row] = await tx<Pick<NotedSession, 'startedAt' | 'lastTurnAt'>[]>`
    select started_at as "startedAt", last_turn_at as "lastTurnAt" from sessions
    where id = ${ref.id} and deleted_at is null and adopted_by is null for update`;
  return row ? { ...ref, ...row } : null;
}

/** Raises the session's version and tells every process, when the transaction commits. */
export async function markNotes(tx: postgres.TransactionSql, session: SessionRef): Promise<void> {
  const [row] = await tx<{ version: number }[]>`
    update sessions set version = version + 1, notes_version = version + 1, changed_at = clock_timestamp()
    where id = ${session.id} returning version`;
  if (row) await notifySessions(tx, [{ id: session.id, publicId: session.publicId, version: row.version }]);
}
