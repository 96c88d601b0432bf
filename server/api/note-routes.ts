/** What operators write at moments of a session. */
import { deletedNote, newNote, note, noteChange, noteConflict } from '../../core/api/notes';
import { addNote, MOST_NOTES } from '../../db/queries/notes/add-note';
import { deleteNote } from '../../db/queries/notes/delete-note';
import { editNote } from '../../db/queries/notes/edit-note';
import { type ChangeAnswer, type ChangeEntry, change } from './change-entry';

const noSuchNote: ChangeAnswer = {
  ok: false,
  status: 404,
  code: 'not_found',
  field: 'note',
  reason: 'there is no such note: it is unknown or was deleted',
};

export const noteChangeRoutes: readonly ChangeEntry[] = [
  change({
    method: 'POST',
    path: '/sessions/{id}/notes',
    operation: 'addNote',
    summary: 'Writes a note at a moment of a session; everybody who looks at it sees it at once',
    body: newNote,
    response: note,
    apply: async ({ sql, id, now }, body) => {
      const result = await addNote(sql, id, body, now);
      switch (result.type) {
        case 'added':
          return { ok: true, status: 201, body: result.note };
        case 'unknown': {
          const reason = 'there is no session of this id';
          return { ok: false, status: 404, code: 'not_found', field: 'id', reason };
        }
        case 'full': {
          const reason = `a session has at most ${MOST_NOTES} notes: delete one first`;
          return { ok: false, status: 409, code: 'too_many_notes', field: '', reason };
        }
        case 'elsewhere': {
          const reason = `must be a moment of the session, from ${result.from.toISOString()} to ${result.to.toISOString()}`;
          return { ok: false, status: 400, code: 'invalid_body', field: 'at', reason };
        }
      }
    },
  }),
  change({
    method: 'PATCH',
    path: '/sessions/{id}/notes/{note}',
    operation: 'editNote',
    summary: 'Gives a note another text; a newer one than was read is answered and not written over',
    body: noteChange,
    response: note,
    conflict: noteConflict,
    apply: async ({ sql, id, innerId, now }, body) => {
      const result = await editNote(sql, id, innerId, body, now);
      switch (result.type) {
        case 'edited':
          return { ok: true, status: 200, body: result.note };
        case 'unknown':
          return noSuchNote;
        case 'outdated': {
          const reason = 'somebody wrote another text since it was read: `current` is it';
          const conflict = { code: 'changed_meanwhile', field: 'version', reason, current: result.note };
          return { ok: false, status: 409, ...conflict };
        }
      }
    },
  }),
  {
    method: 'DELETE',
    path: '/sessions/{id}/notes/{note}',
    operation: 'deleteNote',
    summary: 'Deletes a note for good; its text is not kept',
    body: null,
    response: deletedNote,
    handle: async ({ sql, id, innerId, now }) =>
      (await deleteNote(sql, id, innerId, now))
        ? { ok: true, status: 200, body: { deleted: innerId.toLowerCase() } }
        : noSuchNote,
  },
];
