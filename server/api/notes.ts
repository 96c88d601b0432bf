/** Notes that operators write at moments of a session. */
import * as z from 'zod';
import { deletedNote, newNote, note, noteChange, noteConflict, noteList } from '../../core/api/notes';
import { personOf } from '../../core/identity/roles';
import { addNote, deleteNote, editNote, listNotes, MOST_NOTES } from '../../db/queries/notes';
import { addRoute, addSessionRead, json, NOT_KEPT, sessionParams } from './add-route';
import { type ApiContext, ApiError, createApi, named, noSession, notFound } from './api';

const oneNote = named('Note', note);
const noteParams = sessionParams.extend({ note: z.string().describe('Id of a note of the session') });
const noSuchNote = () => notFound('note', 'there is no such note: it is unknown or was deleted');

export const notesApi = createApi();

/** A person signs with the name of the account, a program with the name that it sends. */
function signed<T extends { author?: string | null | undefined }>(c: ApiContext, body: T): T {
  const person = personOf(c.var.caller);
  return person ? { ...body, author: person.name } : body;
}

addSessionRead(notesApi, '/notes', {
  operationId: 'listNotes',
  summary: 'Notes of a session in the order of their moments',
  rights: ['read', 'admin'],
  shape: named('NoteList', noteList),
  answer: async (c, ref) => listNotes(c.var.sql, ref),
});

addRoute(notesApi, 'POST /sessions/{id}/notes', {
  rights: ['operate'],
  operationId: 'addNote',
  summary: 'Add a note at a moment of a session',
  body: named('NewNote', newNote),
  status: 201,
  shape: oneNote,
  params: sessionParams,
  answer: async (c, { params, body }) => {
    const result = await addNote(c.var.sql, params.id, signed(c, body), c.var.clock.nowMs);
    switch (result.type) {
      case 'added':
        return result.note;
      case 'unknown':
        throw noSession();
      case 'full': {
        const reason = `a session has at most ${MOST_NOTES} notes: delete one first`;
        throw new ApiError(409, 'too_many_notes', '', reason);
      }
      case 'elsewhere': {
        const [from, to] = [result.from.toISOString(), result.to.toISOString()];
        throw new ApiError(
          400,
          'invalid_body',
          'at',
          `must be a moment of the session, from ${from} to ${to}`,
        );
      }
    }
  },
});

addRoute(notesApi, 'PATCH /sessions/{id}/notes/{note}', {
  rights: ['operate'],
  operationId: 'editNote',
  summary: 'Change the text of a note; a newer text is returned and not overwritten',
  body: named('NoteChange', noteChange),
  responses: { 409: json(named('NoteConflict', noteConflict), 'Changed since it was read') },
  shape: oneNote,
  params: noteParams,
  answer: async (c, { params, body }) => {
    const { id, note: noteId } = params;
    const result = await editNote(c.var.sql, id, noteId, signed(c, body), c.var.clock.nowMs);
    if (result.type === 'unknown') throw noSuchNote();
    if (result.type === 'edited') return result.note;
    const reason = 'the note changed since it was read: `current` is the new text';
    const error = { code: 'changed_meanwhile', field: 'version', reason };
    return c.json({ error, current: result.note }, 409, NOT_KEPT);
  },
});

addRoute(notesApi, 'DELETE /sessions/{id}/notes/{note}', {
  rights: ['operate'],
  operationId: 'deleteNote',
  summary: 'Delete a note permanently, with its text',
  shape: named('DeletedNote', deletedNote),
  params: noteParams,
  answer: async (c, { params }) => {
    const { id, note: noteId } = params;
    if (!(await deleteNote(c.var.sql, id, noteId, c.var.clock.nowMs))) throw noSuchNote();
    return { deleted: noteId.toLowerCase() };
  },
});
