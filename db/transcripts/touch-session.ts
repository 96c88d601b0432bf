import type postgres from 'postgres';
import { notifySessions } from '../ingest/notify';
import type { TouchedSession } from '../ingest/types';

/**
 * Raises the version of the session that a transcript belongs to, so that pages which show it hear of the change.
 * It locks the session: before the transcript's row, as ingest does, and behind the project's.
 *
 * @param session as in `transcripts.session`: the session that adopted it is touched in its place
 * @returns null: it is not known yet, or was deleted
 */
export async function touchSession(
  tx: postgres.TransactionSql,
  session: string,
): Promise<TouchedSession | null> {
  const [touched] = await tx<TouchedSession[]>`
    update sessions s set version = s.version + 1, changed_at = clock_timestamp()
    where s.id = (select coalesce(k.adopted_by, k.id) from sessions k where k.public_id = ${session})
      and s.deleted_at is null
    returning s.id, s.public_id as "publicId", s.version`;
  if (!touched) return null;
  await notifySessions(tx, [touched]);
  return touched;
}
