import type postgres from 'postgres';
import type { Note, NoteChange } from '../../../core/api/notes';
import { transact } from '../../transact';
import { lockSession, markNotes } from './lock-session';
import { type NoteRow, noteColumns, toNote } from './note-row';

export type EditedNote =
  | { type: 'edited'; note: Note }
  | { type: 'unknown' }
  /** Somebody wrote another text since it was read: `note` is it. */
  | { type: 'outdated'; note: Note };

/**
 * Another text for a note. The last one wins, and knows what it wins over: the version is the one that its writer
 * has seen.
 * @param nowMs the server's time
 */
export function editNote(
  sql: postgres.Sql,
  publicId: string,
  noteId: string,
  { text, version, author }: NoteChange,
  nowMs: number,
): Promise<EditedNote> {
  return transact(sql, async (tx) => {
    const session = await lockSession(tx, publicId);
    if (!session) return { type: 'unknown' };
    const [held] = await tx<NoteRow[]>`
      select ${noteColumns(tx)} from notes
      where id::text = ${noteId.toLowerCase()} and session_id = ${session.id} and deleted_at is null`;
    if (!held) return { type: 'unknown' };
    // Two who wrote the same do not disagree, and a request that is sent again is no change.
    if (held.text === text) return { type: 'edited', note: toNote(held, session.publicId) };
    if (held.version !== version) return { type: 'outdated', note: toNote(held, session.publicId) };
    const [row] = await tx<NoteRow[]>`
      update notes set text = ${text}, edited_at = ${new Date(nowMs)}, edited_by = ${author || null}, version = version + 1
      where id = ${held.id} returning ${noteColumns(tx)}`;
    if (!row) return { type: 'unknown' };
    await markNotes(tx, session);
    return { type: 'edited', note: toNote(row, session.publicId) };
  });
}
