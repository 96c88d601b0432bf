import * as z from 'zod';
import { MOST_AUTHOR_CHARACTERS, MOST_NOTE_CHARACTERS } from '../notes/limits';
import { MAX_INT, strict, text } from './parameters';
import { errorBody } from './responses';

export const note = z.object({
  id: z.uuid(),
  sessionId: z.uuid(),
  at: z.iso.datetime(),
  /** The main chain's last turn at that time; null: unknown, because the note came from an adopted session. */
  turn: z.number().nullable(),
  /** Plain text, lines separated by \n. */
  text: z.string(),
  author: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** When the text last changed, and the name given with that change. */
  editedAt: z.iso.datetime().nullable(),
  editedBy: z.string().nullable(),
  version: z.number(),
});
export type Note = z.infer<typeof note>;

export const noteList = z.object({
  sessionId: z.uuid(),
  version: z.number().nullable(),
  notes: z.array(note),
});
export type NoteList = z.infer<typeof noteList>;

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

export const newNote = strict({
  at: z.iso.datetime({ offset: true, error: instantReason }),
  /** Default: the last turn of the main chain at that time. */
  turn: z.int(turnReason).min(0, turnReason).max(MAX_INT, turnReason).optional(),
  text: noteText,
  author: author.optional(),
});
export type NewNote = z.infer<typeof newNote>;

export const noteChange = strict({
  text: noteText,
  /** Version of the text that the author changed. If a newer version exists, the server answers 409 and keeps it. */
  version: z.int('must be the `version` that the note was read with'),
  author: author.optional(),
});
export type NoteChange = z.infer<typeof noteChange>;

export const deletedNote = z.object({ deleted: z.uuid() });

export const noteConflict = errorBody.extend({ current: note });
