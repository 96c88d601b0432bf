/** Every parameter of every read, and every number and text of a cursor, with values at and beyond the limits. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import { encodeCursor } from '../../db/queries/cursor';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { startTestApi } from './testing/test-api';

const api = await startTestApi();
afterAll(() => api.close());
const id = sessionId('atlas', 'one');
const late = sessionId('atlas', 'late');
beforeAll(async () => {
  const feed = await createTestFeed(api.database.sql);
  await feed.tell(
    { type: 'session_start', session: 'one', title: 'One', limit: 200_000 },
    testTurn('one', 50_000),
    { type: 'compaction', session: 'one', trigger: 'manual', state: 'confirmed' },
    testTurn('one', 20_000),
    testTurn('late', 20_000, { at: 253_402_300_799_999 }),
  );
});

const HOSTILE = [
  '%00',
  'a%00b',
  '%ff',
  '9999-12-31T23:59:59.999Z',
  '253402300799999',
  '9999-12-31T23:59:59-12:00',
  '0000-01-01',
  '1e308',
  '1.5',
  '-1',
  '9007199254740993',
  '2147483648',
  '',
  '%F0%9F%92%A5',
  "';--",
];

/** Requests that neither succeed nor get a documented refusal. */
async function failures(paths: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const path of paths) {
    const scope = /^\/(audit|tokens)|\/content/.test(path) ? 'admin' : 'read';
    const { status } = await api.get(path, api.bearer(scope));
    if (![200, 400, 404].includes(status)) failed.push(`${status} ${path}`);
  }
  return failed;
}

it('answers hostile parameters with a documented status', async () => {
  const document = (await (await api.get('/openapi.json')).json()) as {
    paths: Record<string, { get?: { parameters?: { name: string; in: string }[] } }>;
  };
  const paths = Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (!get) return [];
    const names = (get.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
    const filled = path.replaceAll(/\{\w+\}/g, id);
    const inPath = path.includes('{') ? HOSTILE.map((value) => path.replaceAll(/\{\w+\}/g, value)) : [];
    const spans =
      names.includes('from') && names.includes('to')
        ? [
            'from=0&to=9999-12-31T23:59:59.999Z',
            'from=9999-12-30&to=9999-12-31T23:59:59.999Z',
            'from=253402300799999',
            'to=0',
          ]
        : [];
    return [
      ...inPath,
      path.replaceAll(/\{\w+\}/g, late),
      ...spans.map((span) => `${filled}?${span}`),
      ...names.flatMap((name) => HOSTILE.map((value) => `${filled}?${name}=${value}`)),
    ];
  });
  expect(paths.length).toBeGreaterThan(500);
  expect(await failures(paths)).toEqual([]);
});

const AT = '2026-11-24T10:00:00.000Z';
it.each([
  ['/sessions?cursor=', { list: 'sessions', sort: 'boundary', order: 'asc', nowMs: 1, key: [0, 0, 1] }],
  ['/sessions?cursor=', { list: 'sessions', sort: 'rate', order: 'asc', nowMs: 1, key: [0, 0, 1] }],
  [`/sessions/${id}/turns?cursor=`, { list: 'turns', order: 'asc', position: 1 }],
  [`/sessions/${id}/events?cursor=`, { list: 'session-events', order: 'desc', key: [1, 0, 'compaction'] }],
  ['/events?cursor=', { list: 'events', order: 'desc', key: [AT, 1, 1, 0, 'compaction'] }],
  ['/transcripts?cursor=', { list: 'transcripts', sort: 'at', order: 'desc', key: [0, 1, 1] }],
  ['/transcripts?cursor=', { list: 'transcripts', sort: 'session', order: 'desc', key: [0, 'a', 1] }],
  ['/transcripts?q=word&searchFrom=', { list: 'search', before: 1 }],
  ['/audit?cursor=', { list: 'audit', id: 1 }],
])('answers forged cursors of %s', async (path, cursor) => {
  expect((await failures([path + encodeCursor(cursor)])).length).toBe(0);
  const leaves: [object, string][] = [];
  const visit = (value: object) => {
    for (const [key, part] of Object.entries(value)) {
      if (typeof part === 'object') visit(part);
      else leaves.push([value, key]);
    }
  };
  visit(cursor);
  const forged: string[] = [];
  for (const [parent, key] of leaves) {
    const kept = Reflect.get(parent, key);
    for (const value of [
      1e308,
      -1e308,
      1.5,
      1e21,
      2 ** 53,
      2 ** 31,
      -1,
      'a\0b',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
      null,
    ]) {
      Reflect.set(parent, key, value);
      forged.push(path + encodeCursor(cursor));
    }
    Reflect.set(parent, key, kept);
  }
  expect(await failures(forged)).toEqual([]);
});
