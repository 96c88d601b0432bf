/** Creates, edits and deletes notes over the API, with outcomes that the form can show. */
import type { NewNote, Note, NoteChange, NoteConflict, NoteList } from '@/core/api/notes';

export type SentNote<T> =
  | { type: 'done'; value: T }
  /** Another text was saved since it was read. */
  | { type: 'outdated'; current: Note }
  | { type: 'gone' }
  | { type: 'refused'; reason: string };

const NO_ANSWER = 'The server does not answer. Try again in a moment.';

const notesPath = (sessionId: string) => `/api/v1/sessions/${encodeURIComponent(sessionId)}/notes`;
const notePath = (note: Note) => `${notesPath(note.sessionId)}/${encodeURIComponent(note.id)}`;

export async function fetchNotes(sessionId: string, signal: AbortSignal): Promise<NoteList> {
  const path = notesPath(sessionId);
  const answer = await fetch(path, { signal, headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()) as NoteList;
}

export function addNote(sessionId: string, note: NewNote): Promise<SentNote<Note>> {
  return send('POST', notesPath(sessionId), note);
}

export function editNote(note: Note, change: NoteChange): Promise<SentNote<Note>> {
  return send('PATCH', notePath(note), change);
}

export function deleteNote(note: Note): Promise<SentNote<unknown>> {
  return send('DELETE', notePath(note));
}

/** Never throws: what fails is an outcome. */
async function send<T>(method: string, path: string, body?: unknown): Promise<SentNote<T>> {
  try {
    const answer = await fetch(path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const value: unknown = await answer.json();
    if (answer.ok) return { type: 'done', value: value as T };
    if (answer.status === 404) return { type: 'gone' };
    const { error, current } = value as Partial<NoteConflict>;
    if (answer.status === 409 && current) return { type: 'outdated', current };
    if (error) return { type: 'refused', reason: sentence(error.field, error.reason) };
  } catch {
    // No connection, or an answer that is none of this API's.
  }
  return { type: 'refused', reason: NO_ANSWER };
}

const FIELD_NAME: Readonly<Record<string, string>> = {
  text: 'The note',
  author: 'The name',
  at: 'The moment',
};

function sentence(field: string, reason: string): string {
  const name = FIELD_NAME[field];
  const words = name === undefined ? reason : `${name} ${reason}`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
