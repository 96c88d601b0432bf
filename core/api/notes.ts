/** Notes that operators write at moments of a session: bodies that are asked with and answered. */
import { z } from 'zod';
import { MOST_AUTHOR_CHARACTERS, MOST_NOTE_CHARACTERS } from '../notes/limits';
import { text } from './parameters';
import { errorBody } from './responses';

export const note = z.object({
  id: z.uuid(),
  sessionId: z.uuid(),
  /** The moment it is about. */
  at: z.iso.datetime(),
  /** Number of the last turn of the main chain at that moment; null: not known any more, the session took over another. */
  turn: z.number().nullable(),
  /** Plain text, lines apart by \n. */
  text: z.string(),
  /** The name its writer gave; null: none. */
  author: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** When its text was changed last, and the name that was given then. */
  editedAt: z.iso.datetime().nullable(),
  editedBy: z.string().nullable(),
  /** Raised with every change; pass it with a change of yours. */
  version: z.number(),
});
export type Note = z.infer<typeof note>;

export const noteList = z.object({
  sessionId: z.uuid(),
  /** The session's `notesVersion` at which they were read. */
  version: z.number().nullable(),
  notes: z.array(note),
});
export type NoteList = z.infer<typeof noteList>;

/** Lines may break; other control characters have no business in a note. */
const noteText = text(MOST_NOTE_CHARACTERS)
  .overwrite((value) => value.replaceAll('\r\n', '\n').trim())
  .refine((value) => value !== '', 'must not be empty')
  .refine((value) => !/[^\P{Cc}\n\t]/u.test(value), 'must not contain control characters');

const author = text(MOST_AUTHOR_CHARACTERS)
  .trim()
  .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
  .nullable();

const instantReason = 'must be a time in ISO 8601 with its zone, as in 2026-11-22T14:03:00Z';
const turnReason = 'must be the number of a turn, 0 before the first';

export const newNote = z.strictObject({
  at: z.iso.datetime({ offset: true, error: instantReason }),
  /** Left out: the last turn of the main chain at that time. */
  turn: z.int(turnReason).min(0, turnReason).max(2_147_483_647, turnReason).optional(),
  text: noteText,
  /** Who writes, in his own words: there are no accounts. */
  author: author.optional(),
});
export type NewNote = z.infer<typeof newNote>;

export const noteChange = z.strictObject({
  text: noteText,
  /** Of the text that was read: a newer one is answered with 409 and not written over. */
  version: z.int('must be the `version` that the note was read with'),
  author: author.optional(),
});
export type NoteChange = z.infer<typeof noteChange>;

export const deletedNote = z.object({ deleted: z.uuid() });
export type DeletedNote = z.infer<typeof deletedNote>;

/** The note as it is now, for whoever would have written over it. */
export const noteConflict = errorBody.extend({ current: note });
export type NoteConflict = z.infer<typeof noteConflict>;
