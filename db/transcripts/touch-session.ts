/**
 * The session that a transcript belongs to. Locks are taken in one order: the project, then its session, then the
 * transcript's row, as ingest takes the last two.
 */
import type postgres from 'postgres';
import { notifySessions } from '../ingest/notify';
import type { TouchedSession } from '../ingest/types';

export interface OwningSession extends TouchedSession {
  isDeleted: boolean;
}

/**
 * @param session as in `transcripts.session`: of an adopted session the one it lives on in is locked
 * @returns null: it is not known yet
 */
export async function lockSession(
  tx: postgres.TransactionSql,
  session: string,
): Promise<OwningSession | null> {
  const [row] = await tx<OwningSession[]>`
    select s.id, s.public_id as "publicId", s.version, s.deleted_at is not null as "isDeleted" from sessions s
    where s.id = (select coalesce(k.adopted_by, k.id) from sessions k where k.public_id = ${session})
    for no key update`;
  return row ?? null;
}

/** Raises its version, so that pages which show it hear of the change; the caller tells its own process. */
export async function touchSession(
  tx: postgres.TransactionSql,
  session: OwningSession | null,
): Promise<TouchedSession | null> {
  if (!session || session.isDeleted) return null;
  const { id, publicId, version } = session;
  await tx`update sessions set version = version + 1, changed_at = clock_timestamp() where id = ${id}`;
  const touched = { id, publicId, version: version + 1 };
  await notifySessions(tx, [touched]);
  return touched;
}
