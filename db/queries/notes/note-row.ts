import type postgres from 'postgres';
import type { Note } from '../../../core/api/notes';

export interface NoteRow {
  id: string;
  at: Date;
  turn: number | null;
  text: string;
  author: string | null;
  createdAt: Date;
  editedAt: Date | null;
  editedBy: string | null;
  version: number;
}

/** Columns of a `NoteRow`. */
export function noteColumns(sql: postgres.ISql) {
  return sql`id, at, turn, text, author, created_at as "createdAt", edited_at as "editedAt",
    edited_by as "editedBy", version`;
}

export function toNote(row: NoteRow, sessionId: string): Note {
  return {
    id: row.id,
    sessionId,
    at: row.at.toISOString(),
    turn: row.turn,
    text: row.text,
    author: row.author,
    createdAt: row.createdAt.toISOString(),
    editedAt: row.editedAt?.toISOString() ?? null,
    editedBy: row.editedBy,
    version: row.version,
  };
}
