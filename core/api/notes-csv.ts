/** Notes of a session as a table, a line each. */
import { toCsv } from './csv';
import type { NoteList } from './notes';

const COLUMNS = ['atUtc', 'afterTurn', 'author', 'text', 'createdAtUtc', 'editedAtUtc', 'editedBy', 'id'];

export function notesToCsv({ notes }: NoteList): string {
  return toCsv(
    COLUMNS,
    notes.map(({ at, turn, author, text, createdAt, editedAt, editedBy, id }) => [
      at,
      turn,
      author,
      text,
      createdAt,
      editedAt,
      editedBy,
      id,
    ]),
  );
}
