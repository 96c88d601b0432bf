import { afterAll, describe, expect, it } from 'vitest';
import { type Note, note, noteConflict, noteList } from '../../core/api/notes';
import { session as sessionShape } from '../../core/api/session';
import { sessionId } from '../../core/identity/session-id';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { bodyOf, errorOf, startTestApi } from './testing/test-api';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

let nowMs = NOON + 60 * MINUTE;
const api = await startTestApi(() => nowMs);
afterAll(() => api.close());
const feed = await createTestFeed(api.database.sql, { now: () => nowMs });
const { ask } = api;

/** A session with three turns, one minute apart, from noon on. */
async function begin(key: string): Promise<string> {
  await feed.tell(
    { type: 'session_start', session: key, lens: 'snapshot', limit: 200_000, at: NOON },
    ...[1, 2, 3].map((turn) => testTurn(key, turn * 10_000, { at: NOON + turn * MINUTE })),
  );
  return sessionId('atlas', key);
}

const AT = new Date(NOON + 2.5 * MINUTE).toISOString();

async function write(id: string, text: string, more: object = {}): Promise<Note> {
  return bodyOf(note, ask('POST', `/sessions/${id}/notes`, { at: AT, text, ...more }));
}
const notesOf = (id: string) => bodyOf(noteList, api.get(`/sessions/${id}/notes`));
const sessionOf = (id: string) => bodyOf(sessionShape, api.get(`/sessions/${id}`));

describe('notes of a session', () => {
  it('are added with the turn before their moment, and listed by moment', async () => {
    const id = await begin('written');
    expect((await sessionOf(id)).notesVersion).toBeNull();
    const first = await write(id, 'why did it fall?', { author: 'Ada' });
    expect(first).toMatchObject({ at: AT, turn: 2, author: 'Ada', version: 1, editedAt: null });
    const earlier = await write(id, 'began here', { at: '2026-03-01T13:00:00+01:00', author: '  ' });
    expect(earlier).toMatchObject({ at: '2026-03-01T12:00:00.000Z', turn: 0, author: null });
    const named = await write(id, 'at a turn of its own', { at: AT, turn: 3 });
    expect(named.turn).toBe(3);
    const list = await notesOf(id);
    const texts = ['began here', 'why did it fall?', 'at a turn of its own'];
    expect(list.notes.map(({ text }) => text)).toEqual(texts);
    const { version, notesVersion } = await sessionOf(id);
    expect(list.version).toBe(notesVersion);
    expect(version).toBe(notesVersion);
  });

  it('keep their text exactly', async () => {
    const id = await begin('hostile');
    const text = '<img src=x onerror=alert(1)>\n=cmd|"/c calc"!A1\t\u202e💥 %00 \\';
    expect((await write(id, text)).text).toBe(text);
    expect((await notesOf(id)).notes[0]?.text).toBe(text);
    expect((await write(id, '  trimmed\r\nlines  ')).text).toBe('trimmed\nlines');
    expect((await write(id, 'x'.repeat(2_000))).text).toHaveLength(2_000);
  });

  it('are refused with the field at fault', async () => {
    const id = await begin('refused');
    const cases: Array<[object, string]> = [
      [{ at: AT }, 'text'],
      [{ at: AT, text: ' \n ' }, 'text'],
      [{ at: AT, text: 'x'.repeat(2_001) }, 'text'],
      [{ at: AT, text: 'nul \u0000' }, 'text'],
      [{ at: AT, text: 'bell \u0007' }, 'text'],
      [{ text: 'when?' }, 'at'],
      [{ at: 'yesterday', text: 'x' }, 'at'],
      [{ at: '2026-02-27T11:00:00Z', text: 'long before' }, 'at'],
      [{ at: '2027-03-01T12:00:00Z', text: 'in a year' }, 'at'],
      [{ at: AT, text: 'x', turn: -1 }, 'turn'],
      [{ at: AT, text: 'x', author: 'a'.repeat(81) }, 'author'],
      [{ at: AT, text: 'x', author: 'two\nlines' }, 'author'],
      [{ at: AT, text: 'x', html: true }, 'html'],
    ];
    for (const [body, field] of cases) {
      const error = await errorOf(ask('POST', `/sessions/${id}/notes`, body));
      expect(error, JSON.stringify(body)).toMatchObject({ status: 400, field });
    }
    const path = `/sessions/${sessionId('atlas', 'unknown')}/notes`;
    const unknown = await errorOf(ask('POST', path, { at: AT, text: 'x' }));
    expect(unknown).toMatchObject({ status: 404, field: 'id' });
    expect((await notesOf(id)).notes).toEqual([]);
    expect((await sessionOf(id)).notesVersion).toBeNull();
  });

  it('require an admin token or a page of this server', async () => {
    const id = await begin('scopes');
    const body = { at: AT, text: 'x' };
    const path = `/sessions/${id}/notes`;
    expect((await ask('POST', path, body, api.bearer('read'))).status).toBe(403);
    expect((await ask('POST', path, body, {})).status).toBe(401);
    expect((await ask('POST', path, body, { 'sec-fetch-site': 'same-origin' })).status).toBe(401);
    expect((await ask('POST', path, body, api.ownPage())).status).toBe(201);
    const put = await ask('PUT', path, body);
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  it('return the newer text on a conflict, and accept the retry', async () => {
    const id = await begin('met');
    const written = await write(id, 'first', { author: 'Ada' });
    const path = `/sessions/${id}/notes/${written.id}`;
    nowMs += MINUTE;
    const edited = ask('PATCH', path, { text: 'by Bob', version: 1, author: 'Bob' });
    const edit = { editedBy: 'Bob', editedAt: new Date(nowMs).toISOString() };
    expect(await bodyOf(note, edited)).toMatchObject({ text: 'by Bob', version: 2, author: 'Ada', ...edit });
    const late = await ask('PATCH', path, { text: 'by Ada', version: 1 });
    expect(late.status).toBe(409);
    const conflict = noteConflict.parse(await late.json());
    expect(conflict.error).toMatchObject({ code: 'changed_meanwhile', field: 'version' });
    expect(conflict.current).toMatchObject({ text: 'by Bob', version: 2 });
    expect((await notesOf(id)).notes[0]?.text).toBe('by Bob');
    const again = ask('PATCH', path, { text: 'by Ada', version: conflict.current.version });
    expect(await bodyOf(note, again)).toMatchObject({ text: 'by Ada', version: 3 });
    const before = (await sessionOf(id)).version;
    expect((await ask('PATCH', path, { text: 'by Ada', version: 1 })).status).toBe(200);
    expect((await sessionOf(id)).version).toBe(before);
  });

  it('accept one of two simultaneous edits and refuse the other', async () => {
    const id = await begin('at once');
    const written = await write(id, 'first');
    const path = `/sessions/${id}/notes/${written.id}`;
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((text) => ask('PATCH', path, { text, version: 1 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  it('leave a tombstone without text when deleted, and reject further changes', async () => {
    const id = await begin('deleted');
    const written = await write(id, 'a secret', { author: 'Ada' });
    const path = `/sessions/${id}/notes/${written.id}`;
    const other = await begin('deleted other');
    expect((await ask('DELETE', `/sessions/${other}/notes/${written.id}`)).status).toBe(404);
    const deleted = await ask('DELETE', path);
    expect(await deleted.json()).toEqual({ deleted: written.id });
    expect((await notesOf(id)).notes).toEqual([]);
    for (const response of [
      await ask('DELETE', path),
      await ask('PATCH', path, { text: 'x', version: 2 }),
      await ask('DELETE', `/sessions/${id}/notes/nonsense`),
    ]) {
      expect(await errorOf(response)).toMatchObject({ status: 404, field: 'note' });
    }
    const [row] = await api.database.sql`
      select text, author, deleted_at is not null as deleted from notes where id = ${written.id}`;
    expect(row).toEqual({ text: '', author: null, deleted: true });
  });

  it('are deleted with their session', async () => {
    const id = await begin('gone');
    await write(id, 'x');
    const removed = await write(id, 'y');
    await ask('DELETE', `/sessions/${id}/notes/${removed.id}`);
    const rows = () => api.database.sql`
      select from notes n join sessions s on s.id = n.session_id where s.public_id = ${id}`;
    expect(await rows()).toHaveLength(2);
    expect((await ask('DELETE', `/sessions/${id}`)).status).toBe(200);
    expect((await ask('DELETE', `/sessions/${id}`)).status).toBe(404);
    expect(await rows()).toHaveLength(0);
    expect((await ask('GET', `/sessions/${id}/notes`)).status).not.toBe(200);
    expect((await ask('POST', `/sessions/${id}/notes`, { at: AT, text: 'x' })).status).toBe(404);
  });

  it('are limited to 500 per session', async () => {
    const id = await begin('many');
    await api.database.sql`
      insert into notes (session_id, at, text)
      select id, ${AT}, 'note ' || n from sessions, generate_series(1, 500) n where public_id = ${id}`;
    const full = ask('POST', `/sessions/${id}/notes`, { at: AT, text: 'one more' });
    expect(await errorOf(full)).toMatchObject({ status: 409, code: 'too_many_notes' });
  });

  it('keep their time and move with an adopted session to its adopter', async () => {
    const options = { runner: 'watch', source: 'transcript', now: () => nowMs } as const;
    const watcher = await createTestFeed(api.database.sql, options);
    const client = { client: 'claude-code', clientSessionId: 'X' } as const;
    await watcher.tell(
      { type: 'session_start', session: 'watched', at: NOON, ...client },
      testTurn('watched', 10_000, { at: NOON + MINUTE, call: 'w1' }),
    );
    const from = sessionId('atlas', 'watched');
    const written = await write(from, 'seen before', { at: new Date(NOON + 2 * MINUTE).toISOString() });
    await feed.tell(
      { type: 'session_start', session: 'runner', at: NOON },
      testTurn('runner', 5_000, { at: NOON, call: 'r1' }),
      { type: 'restart', session: 'runner', at: NOON + 30_000, ...client },
    );
    const to = sessionId('atlas', 'runner');
    const list = await notesOf(to);
    expect(list.notes).toMatchObject([{ id: written.id, sessionId: to, turn: null, version: 2 }]);
    expect((await sessionOf(to)).notesVersion).toBe(list.version);
    const edited = ask('PATCH', `/sessions/${from}/notes/${written.id}`, { text: 'z', version: 2 });
    expect((await bodyOf(note, edited)).sessionId).toBe(to);
  });
});
