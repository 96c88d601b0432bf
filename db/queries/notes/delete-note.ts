import type postgres from 'postgres';
import { transact } from '../../transact';
import { lockSession, markNotes } from './lock-session';

/**
 * Deletes a note: a tombstone stays, without text and names.
 * @param nowMs the server's time
 * @returns false when there is no such note (any more)
 */
export function deleteNote(
  sql: postgres.Sql,
  publicId: string,
  noteId: string,
  nowMs: number,
): Promise<boolean> {
  return transact(sql, async (tx) => {
    const session = await lockSession(tx, publicId);
    if (!session) return false;
    const deleted = await tx`
      update notes set deleted_at = ${new Date(nowMs)}, text = '', author = null, edited_by = null,
        version = version + 1
      where id::text = ${noteId.toLowerCase()} and session_id = ${session.id} and deleted_at is null returning 1`;
    if (deleted.length === 0) return false;
    await markNotes(tx, session);
    return true;
  });
}
