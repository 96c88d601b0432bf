import type postgres from 'postgres';
import type { NoteList } from '../../../core/api/notes';
import type { SessionRef } from '../find-session';
import { type NoteRow, noteColumns, toNote } from './note-row';

/**
 * Notes of a session that stand, by the moment they are about. The version is read first: what is written between
 * the two reads has a higher one, and whoever follows the session asks again.
 */
export async function listNotes(sql: postgres.ISql, session: SessionRef): Promise<NoteList> {
  const [held] = await sql<{ version: number | null }[]>`
    select notes_version as version from sessions where id = ${session.id}`;
  const rows = await sql<NoteRow[]>`
    select ${noteColumns(sql)} from notes where session_id = ${session.id} and deleted_at is null
    order by at, turn, created_at, id`;
  return {
    sessionId: session.publicId,
    version: held?.version ?? null,
    notes: rows.map((row) => toNote(row, session.publicId)),
  };
}
