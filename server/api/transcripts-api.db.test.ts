import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditList } from '../../core/api/audit';
import { eventList } from '../../core/api/responses';
import { type ArchiveOffer, CHUNK_BYTES, transcriptList, transcriptRow } from '../../core/api/transcripts';
import { sessionId } from '../../core/identity/session-id';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { handOver, hashOf } from '../../db/transcripts/transcripts-testing';
import { bodyOf, errorOf, startTestApi } from './testing/test-api';

const api = await startTestApi();
afterAll(() => api.close());
const { sql } = api.database;
const { get } = api;
const file = Buffer.concat([randomBytes(CHUNK_BYTES), Buffer.from('{"type":"user"}\n'.repeat(5_000))]);
const archive = randomUUID();
let stored: string;

async function keep({ file: bytes, ...given }: { file: Buffer } & Partial<ArchiveOffer>): Promise<string> {
  const { result } = await handOver(sql, bytes, {
    version: given.boundary === undefined ? 'hook' : 'completed',
    fileName: 'sitzung "ä".jsonl',
    lines: 7,
    ...given,
  });
  return result.id;
}

beforeAll(async () => {
  const feed = await createTestFeed(sql, { project: 'atlas' });
  await feed.tell(
    testTurn('one', 100_000),
    { type: 'archive', session: 'one', state: 'stored', archive, trigger: 'auto', bytes: file.length },
    { type: 'compaction', session: 'one', trigger: 'auto', state: 'confirmed', boundary: 'b-1' },
    testTurn('two', 1_000),
    { type: 'archive', session: 'two', state: 'failed', reason: 'the disk is full', at: 1_000 },
  );
  stored = await keep({ project: 'atlas', session: 'one', file, archive });
});

/** The original bytes, secrets included. */
const download = (id: string, headers: Record<string, string> = {}) =>
  get(`/transcripts/${id}/content`, { ...api.bearer('admin'), ...headers });
const remove = (id: string, body: unknown) => api.ask('DELETE', `/transcripts/${id}`, body);
const list = (query = '') => bodyOf(transcriptList, get(`/transcripts${query}`));
const audit = (query = '') => bodyOf(auditList, get(`/audit${query}`));
const row = (id: string) => bodyOf(transcriptRow, get(`/transcripts/${id}`));

describe('a transcript', () => {
  it('gives the state of its compaction, and the reason of a blocked compaction', async () => {
    const feed = await createTestFeed(sql, { project: 'blocked', runner: 'blocked' });
    const blocked = randomUUID();
    await feed.tell(
      testTurn('b', 100_000),
      { type: 'archive', session: 'b', state: 'stored', archive: blocked, trigger: 'auto' },
      { type: 'compaction', session: 'b', trigger: 'auto', state: 'pending' },
    );
    const id = await keep({
      project: 'blocked',
      session: 'b',
      file: Buffer.from('{}\n'),
      archive: blocked,
      agent: 'a-7',
    });
    expect(await row(id)).toMatchObject({ compaction: { state: 'pending', reason: null }, agent: 'a-7' });
    await feed.tell(testTurn('b', 101_000), {
      type: 'compaction',
      session: 'b',
      trigger: 'auto',
      state: 'blocked',
      reason: 'blocked by a hook',
    });
    expect(await row(id)).toMatchObject({
      state: 'stored',
      compaction: { state: 'blocked', reason: 'blocked by a hook' },
    });
    const listed = await list('?project=blocked');
    expect(listed.transcripts).toMatchObject([{ id, compaction: { state: 'blocked' } }]);
    expect(await row(stored)).toMatchObject({
      compaction: { state: 'confirmed', reason: null },
      agent: null,
    });
  });

  it('has its facts, and a link to its compaction and back', async () => {
    const transcript = await row(stored);
    expect(transcript).toMatchObject({
      archive,
      state: 'stored',
      project: 'atlas',
      sessionId: sessionId('atlas', 'one'),
      sessionKey: 'one',
      version: 'hook',
      bytes: file.length,
      lines: 7,
      sha256: hashOf(file),
    });
    const { events } = await bodyOf(eventList, get('/events?kind=compaction&project=atlas'));
    expect(transcript.eventId).toBe(events[0]?.id);
    expect(events[0]?.detail).toMatchObject({ archives: [archive], boundary: 'b-1' });
  });

  it('links to the compaction at its end by the boundary', async () => {
    const whole = Buffer.concat([file, Buffer.from('the boundary\n')]);
    const id = await keep({ project: 'atlas', session: 'one', file: whole, boundary: 'b-1' });
    expect((await row(id)).eventId).toBe((await row(stored)).eventId);
    const other = await keep({ project: 'atlas', session: 'one', file: randomBytes(3), boundary: 'b-9' });
    expect((await row(other)).eventId).toBeNull();
  });

  it('answers not_found for an unknown id', async () => {
    for (const id of [randomUUID(), 'x', '..%2f..%2fetc', "'; drop table transcripts"]) {
      for (const response of [await get(`/transcripts/${id}`), await download(id)]) {
        expect(await errorOf(response)).toMatchObject({ status: 404, code: 'not_found', field: 'id' });
      }
    }
  });
});

describe('the bytes of a transcript', () => {
  it('are sent unchanged, as an attachment that is not cached', async () => {
    const response = await download(stored);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(hashOf(bytes)).toBe(hashOf(file));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(file.length),
      'content-disposition': `attachment; filename="sitzung ___.jsonl"; filename*=UTF-8''sitzung%20_%C3%A4_.jsonl`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });

  it('are sent in ranges', async () => {
    const range = (bytes: string) => download(stored, { range: `bytes=${bytes}` });
    const middle = await range(`${CHUNK_BYTES - 3}-${CHUNK_BYTES + 2}`);
    expect(middle.status).toBe(206);
    expect(middle.headers.get('content-range')).toBe(
      `bytes ${CHUNK_BYTES - 3}-${CHUNK_BYTES + 2}/${file.length}`,
    );
    expect(Buffer.from(await middle.arrayBuffer())).toEqual(file.subarray(CHUNK_BYTES - 3, CHUNK_BYTES + 3));
    const end = await range('-5');
    expect(Buffer.from(await end.arrayBuffer())).toEqual(file.subarray(-5));
    const behind = await range(`${file.length}-`);
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, `bytes */${file.length}`]);
    const changed = await download(stored, { range: 'bytes=0-1', 'if-range': '"another"' });
    expect(changed.status).toBe(200);
    await changed.body?.cancel();
  });

  it('are sent to tokens of scope admin and to pages of this server, and every download is audited', async () => {
    const before = (await audit('?action=transcript_downloaded')).entries.length;
    const path = `/transcripts/${stored}/content`;
    // A token of scope read sees masked text only.
    for (const scope of ['ingest', 'read'] as const) {
      expect((await get(path, api.bearer(scope))).status).toBe(403);
      expect((await get(path, { range: 'bytes=0-1', ...api.bearer(scope) })).status).toBe(403);
    }
    const head = await api.ask('HEAD', path);
    expect(head.headers.get('content-length')).toBe(String(file.length));
    expect((await audit('?action=transcript_downloaded')).entries).toHaveLength(before);
    await (await api.ask('GET', path, undefined, { 'sec-fetch-site': 'same-origin' })).arrayBuffer();
    const { entries } = await audit(`?action=transcript_downloaded&transcript=${stored}`);
    expect(entries).toHaveLength(before + 1);
    expect(entries[0]).toMatchObject({
      actor: 'browser',
      project: 'atlas',
      transcriptId: stored,
      sessionId: sessionId('atlas', 'one'),
      detail: { from: 0, to: file.length },
    });
    expect(entries[1]?.actor).toBe('a admin');
  });

  it('break the connection if they are damaged', async () => {
    const bytes = randomBytes(CHUNK_BYTES + 10);
    const id = await keep({ project: 'spoilt', session: 's', file: bytes });
    await sql`
      update transcript_chunks set data = '' where bytes = 10
        and project_id = (select id from projects where name = 'spoilt')`;
    const response = await download(id);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });
});

describe('the list', () => {
  it('is filtered by project, session, trigger, state, version, date and size', async () => {
    await keep({ project: 'other', session: 'a', file: randomBytes(10), at: '2026-10-01T00:00:00Z' });
    const keys = async (query: string) => {
      const { transcripts, total } = await list(query);
      expect(total).toBe(transcripts.length);
      return transcripts.map(({ project, sessionKey, state }) => `${project}/${sessionKey} ${state}`);
    };
    expect(await keys('?project=other')).toEqual(['other/a stored']);
    expect(await keys(`?session=${sessionId('atlas', 'two')}`)).toEqual(['atlas/two failed']);
    expect(await keys('?session=TW')).toEqual(['atlas/two failed']);
    expect(await keys('?project=atlas&state=failed&state=skipped')).toEqual(['atlas/two failed']);
    expect(await keys('?project=atlas&trigger=manual')).toEqual([]);
    expect(await keys('?project=atlas&version=completed&minBytes=4')).toEqual(['atlas/one stored']);
    expect(await keys('?to=2026-10-01&from=2026-09-30')).toEqual(['other/a stored']);
    expect(await keys('?maxBytes=10&minBytes=10')).toEqual(['other/a stored']);
    for (const query of ['?state=gone', '?minBytes=x', '?to=1&from=2', '?surprise=1']) {
      expect((await get(`/transcripts${query}`)).status).toBe(400);
    }
  });

  it('is sorted with unknown values last, in pages', async () => {
    for (const sort of ['at', 'session', 'bytes', 'messages']) {
      for (const order of ['asc', 'desc']) {
        const whole = await list(`?sort=${sort}&order=${order}`);
        const paged: string[] = [];
        let cursor = '';
        do {
          const page = await list(`?sort=${sort}&order=${order}&limit=2${cursor && `&cursor=${cursor}`}`);
          paged.push(...page.transcripts.map(({ id }) => id));
          cursor = page.nextCursor ?? '';
        } while (cursor !== '');
        expect(paged).toEqual(whole.transcripts.map(({ id }) => id));
        expect(paged).toHaveLength(whole.total);
        if (sort === 'bytes') expect(whole.transcripts.at(-1)?.bytes).toBeNull();
      }
    }
    const { transcripts } = await list('?sort=bytes');
    const sizes = transcripts.flatMap(({ bytes }) => bytes ?? []);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect((await get('/transcripts?cursor=abc')).status).toBe(400);
  });

  it('shows the current name of the session, even if the session appeared later or was adopted', async () => {
    const id = await keep({ project: 'late', session: 'opened', file: randomBytes(9) });
    expect(await row(id)).toMatchObject({ sessionId: sessionId('late', 'opened'), sessionTitle: null });
    const watcher = await createTestFeed(sql, { project: 'late', source: 'transcript' });
    await watcher.tell(
      { type: 'session_start', session: 'opened', client: 'c', clientSessionId: 'x' },
      testTurn('opened', 10),
    );
    const runner = await createTestFeed(sql, { project: 'late', runner: 'own' });
    await runner.tell({
      type: 'session_start',
      session: 'task',
      client: 'c',
      clientSessionId: 'x',
      title: 'The task',
    });
    expect(await row(id)).toMatchObject({
      sessionId: sessionId('late', 'task'),
      sessionTitle: 'The task',
      sessionKey: 'task',
    });
    const { transcripts } = await list(`?session=${sessionId('late', 'task')}`);
    expect(transcripts.map((found) => found.id)).toEqual([id]);
  });
});

describe('deleting', () => {
  it('needs a reason and a token of scope admin', async () => {
    expect(await errorOf(remove(stored, {}))).toMatchObject({ status: 400, field: 'reason' });
    expect(await errorOf(remove(stored, { reason: '  ' }))).toMatchObject({ status: 400, field: 'reason' });
    const asReader = api.ask('DELETE', `/transcripts/${stored}`, { reason: 'x' }, api.bearer('read'));
    expect((await asReader).status).toBe(403);
    expect(await errorOf(remove(randomUUID(), { reason: 'x' }))).toMatchObject({ status: 404 });
    expect((await row(stored)).state).toBe('stored');
  });

  it('removes the bytes, keeps a row with the reason, and is audited', async () => {
    const bytes = randomBytes(500);
    const id = await keep({ project: 'erased', session: 's', file: bytes });
    const answer = await bodyOf(transcriptRow, remove(id, { reason: 'held a password' }));
    expect(answer).toMatchObject({ state: 'deleted', reason: 'held a password' });
    expect(answer.deletedAt).not.toBeNull();
    expect(await row(id)).toEqual(answer);
    expect((await download(id)).status).toBe(404);
    const [left] = await sql`
      select count(*)::int as count from transcript_chunks c join projects p on p.id = c.project_id
      where p.name = 'erased'`;
    expect(left).toEqual({ count: 0 });
    expect(await errorOf(remove(id, { reason: 'again' }))).toMatchObject({ status: 409, code: 'deleted' });
    const { entries } = await audit(`?transcript=${id}`);
    expect(entries).toMatchObject([
      {
        actor: 'a admin',
        action: 'transcript_deleted',
        detail: { reason: 'held a password', was: 'stored' },
      },
    ]);
  });
});

it('filters and pages the audit log', async () => {
  const all = await audit();
  const pages: number[] = [];
  let cursor = '';
  do {
    const page = await audit(`?limit=1${cursor && `&cursor=${cursor}`}`);
    pages.push(...page.entries.map(({ id }) => id));
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  expect(pages).toEqual(all.entries.map(({ id }) => id));
  expect((await audit('?actor=browser')).entries.every(({ actor }) => actor === 'browser')).toBe(true);
  expect((await audit('?project=erased')).entries).toHaveLength(1);
  expect((await audit('?to=2026-01-01')).entries).toEqual([]);
});
