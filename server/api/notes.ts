/** Notes that operators write at moments of a session. */
import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { notesToCsv } from '../../core/api/csv';
import { deletedNote, newNote, note, noteChange, noteConflict, noteList } from '../../core/api/notes';
import { listNotesParameters } from '../../core/api/parameters';
import { addNote, deleteNote, editNote, listNotes, MOST_NOTES } from '../../db/queries/notes';
import {
  ApiError,
  allow,
  changeErrors,
  createApi,
  json,
  jsonOrFile,
  named,
  noSession,
  notFound,
  readJson,
  requestBody,
  requireSession,
  sessionErrors,
  sessionParams,
} from './api';
import { saveBody } from './files';

const oneNote = named('Note', note);
const noteParams = sessionParams.extend({ note: z.string().describe('Id of a note of the session') });
const noSuchNote = () => notFound('note', 'there is no such note: it is unknown or was deleted');

export const notesApi = createApi();

notesApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/notes',
    operationId: 'listNotes',
    summary: 'Notes of a session in the order of their moments',
    middleware: allow('read', 'admin'),
    request: { params: sessionParams, query: listNotesParameters },
    responses: { 200: jsonOrFile(named('NoteList', noteList)), ...sessionErrors },
  }),
  async (c) => {
    const { format } = c.req.valid('query');
    const ref = await requireSession(c, c.req.valid('param').id);
    const body = await listNotes(c.var.sql, ref);
    if (format === undefined) return c.json(body, 200);
    return saveBody(c, `notes-${ref.publicId}`, format, body, notesToCsv);
  },
);

notesApi.openapi(
  createRoute({
    method: 'post',
    path: '/sessions/{id}/notes',
    operationId: 'addNote',
    summary: 'Add a note at a moment of a session',
    middleware: [allow('admin'), readJson] as const,
    request: { params: sessionParams, ...requestBody(named('NewNote', newNote)) },
    responses: { 201: json(oneNote), ...changeErrors },
  }),
  async (c) => {
    const result = await addNote(c.var.sql, c.req.valid('param').id, c.req.valid('json'), c.var.clock.nowMs);
    switch (result.type) {
      case 'added':
        return c.json(result.note, 201, { 'Cache-Control': 'no-store' });
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
);

notesApi.openapi(
  createRoute({
    method: 'patch',
    path: '/sessions/{id}/notes/{note}',
    operationId: 'editNote',
    summary: 'Change the text of a note; a newer text is returned and not overwritten',
    middleware: [allow('admin'), readJson] as const,
    request: { params: noteParams, ...requestBody(named('NoteChange', noteChange)) },
    responses: {
      200: json(oneNote),
      ...changeErrors,
      409: json(named('NoteConflict', noteConflict), 'Changed since it was read'),
    },
  }),
  async (c) => {
    const { id, note: noteId } = c.req.valid('param');
    const result = await editNote(c.var.sql, id, noteId, c.req.valid('json'), c.var.clock.nowMs);
    if (result.type === 'unknown') throw noSuchNote();
    const headers = { 'Cache-Control': 'no-store' };
    if (result.type === 'edited') return c.json(result.note, 200, headers);
    const reason = 'the note changed since it was read: `current` is the new text';
    const error = { code: 'changed_meanwhile', field: 'version', reason };
    return c.json({ error, current: result.note }, 409, headers);
  },
);

notesApi.openapi(
  createRoute({
    method: 'delete',
    path: '/sessions/{id}/notes/{note}',
    operationId: 'deleteNote',
    summary: 'Delete a note permanently, with its text',
    middleware: allow('admin'),
    request: { params: noteParams },
    responses: { 200: json(named('DeletedNote', deletedNote)), ...changeErrors },
  }),
  async (c) => {
    const { id, note: noteId } = c.req.valid('param');
    if (!(await deleteNote(c.var.sql, id, noteId, c.var.clock.nowMs))) throw noSuchNote();
    return c.json({ deleted: noteId.toLowerCase() }, 200, { 'Cache-Control': 'no-store' });
  },
);
