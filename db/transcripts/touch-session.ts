/** The session of a transcript. Lock order everywhere: the project, its session, the transcript's row. */
import type postgres from 'postgres';
import type { TouchedSession } from '../ingest/types';
import { notifySessions } from '../notify-sessions';

export interface OwningSession extends TouchedSession {
  isDeleted: boolean;
}

/**
 * @param session as in `transcripts.session`; for an adopted session its adopter is locked
 * @returns null while it is unknown
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

/** Raise the version, so that pages refresh. */
export async function touchSession(
  tx: postgres.TransactionSql,
  session: OwningSession | null,
): Promise<void> {
  if (!session || session.isDeleted) return;
  const { id, publicId, version } = session;
  await tx`update sessions set version = version + 1, changed_at = clock_timestamp() where id = ${id}`;
  await notifySessions(tx, [{ id, publicId, version: version + 1 }]);
}
