/** Uploads by a runner and by a hostile client. */
import { randomBytes, randomUUID } from 'node:crypto';
import { connect as connectSocket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { type ArchiveOffer, type ArchiveProgress, CHUNK_BYTES } from '../../core/api/transcripts';
import { sessionId } from '../../core/identity/session-id';
import { deleteSession } from '../../db/delete-session';
import { SESSIONS_CHANNEL } from '../../db/hints';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { createToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { readRange } from '../../db/transcripts/chunk-store';
import { completeArchive } from '../../db/transcripts/complete-archive';
import { deleteTranscript } from '../../db/transcripts/end-transcript';
import { hashOf, makeProject, offerOf, splitChunks } from '../../db/transcripts/transcripts-testing';
import { startIngestServer } from '../ingest/testing/start-ingest-server';

const database = await createTestDatabase();
const { sql } = database;
const token = await createToken(sql, { name: 'runner', scopes: ['ingest', 'archive'] });
const readToken = await createToken(sql, { name: 'reader', scopes: ['read'] });
const server = await startIngestServer(database.url);
afterAll(async () => {
  await server.close();
  await database.close();
});

const boundToken = await createToken(sql, {
  name: 'bound',
  scopes: ['ingest', 'archive'],
  projects: ['mine'],
});

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const isBytes = body instanceof Uint8Array;
  return fetch(`${server.url}/v1/archives${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && !isBytes && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
}
const progressOf = async (response: Response) => (await response.json()) as ArchiveProgress;
const offer = async (given: ArchiveOffer) => progressOf(await send('POST', '', given));
/** An accepted offer of the file. */
async function begin(file: Buffer, given: Partial<ArchiveOffer> = {}): Promise<ArchiveOffer> {
  const offered = offerOf(file, given);
  await offer(offered);
  return offered;
}
const put = (archive: string, bytes: Buffer, sha256 = hashOf(bytes), headers = {}) =>
  send('PUT', `/${archive}/chunks/${sha256}`, bytes, headers);
const complete = (archive: string) => send('POST', `/${archive}/complete`);

async function handOver(file: Buffer, given: Partial<ArchiveOffer> = {}) {
  const offered = offerOf(file, given);
  const { missing } = await offer(offered);
  const chunks = new Map(splitChunks(file).map((chunk) => [hashOf(chunk), chunk]));
  for (const sha256 of missing)
    expect((await put(offered.archive, chunks.get(sha256) ?? file)).status).toBe(204);
  return { offered, missing, progress: await progressOf(await complete(offered.archive)) };
}

async function rowOf(archive: string) {
  const [row] = await sql`
    select t.id, t.public_id as "publicId", t.state, t.reason, t.trigger, t.version, t.bytes, t.path,
      t.file_name as "fileName", t.verified_at as "verifiedAt",
      (select count(*)::int from transcript_files f where f.transcript_id = t.id) as files
    from transcripts t where t.archive = ${archive}`;
  return row;
}
async function versionOf(id: string): Promise<number> {
  const [session] = await sql<{ version: number }[]>`
    select version from sessions where public_id = ${id}`;
  return session?.version ?? Number.NaN;
}
const bytesOf = async (archive: string) => readRange(sql, (await rowOf(archive))?.id ?? 0);

async function expectRefusal(response: Response, status: number, error: object) {
  expect({ status: response.status, ...(await response.json()) }).toMatchObject({ status, ...error });
}

it('refuses an archive for a project or a session that the token may not write', async () => {
  const authorization = `Bearer ${boundToken}`;
  const give = (given: Partial<ArchiveOffer>) =>
    send('POST', '', offerOf(randomBytes(100), given), { authorization });
  await expectRefusal(await give({ project: 'shop' }), 403, { code: 'not_yours', field: 'project' });
  const watcher = await createTestFeed(sql, { project: 'mine' });
  await watcher.tell(testTurn('bound', 10));
  expect((await give({ project: 'mine', session: 'bound' })).status).toBe(200);
  const other = await makeProject(sql);
  await sql`
    update sessions set project_id = ${other}
    where public_id = ${sessionId('mine', 'bound')}`;
  await expectRefusal(await give({ project: 'mine', session: 'bound' }), 403, {
    code: 'not_yours',
    field: 'session',
  });
  const theirs = await begin(randomBytes(100), { project: 'theirs' });
  const { id } = (await rowOf(theirs.archive)) ?? {};
  const stored = () => sql`select * from transcripts where id = ${id}`;
  const before = [...(await stored())];
  expect((await give({ project: 'mine', archive: theirs.archive })).status).toBe(200);
  expect([...(await stored())]).toEqual(before);
});

it('lets a project upload an archive with an id that another project uses', async () => {
  const file = randomBytes(100);
  const squatted = offerOf(randomBytes(90), { project: 'mine' });
  const asSquatter = { authorization: `Bearer ${boundToken}` };
  expect((await send('POST', '', squatted, asSquatter)).status).toBe(200);
  const ownerToken = await createToken(sql, { name: 'owner', scopes: ['archive'], projects: ['owners'] });
  const asOwner = { authorization: `Bearer ${ownerToken}` };
  const own = offerOf(file, { project: 'owners', archive: squatted.archive });
  expect((await progressOf(await send('POST', '', own, asOwner))).missing).toEqual([hashOf(file)]);
  await expectRefusal(await put(own.archive, file, hashOf(file), asSquatter), 404, { code: 'unknown_chunk' });
  expect((await put(own.archive, file, hashOf(file), asOwner)).status).toBe(204);
  const done = await send('POST', `/${own.archive}/complete`, undefined, asOwner);
  expect(await progressOf(done)).toMatchObject({ state: 'stored', missing: [] });
  const rows = await sql`
    select p.name as project, t.state from transcripts t join projects p on p.id = t.project_id
    where t.archive = ${own.archive} order by p.name`;
  expect(rows).toEqual([
    { project: 'mine', state: 'uploading' },
    { project: 'owners', state: 'stored' },
  ]);
});

it('answers chunks and completions of another project’s archive as for an unknown archive', async () => {
  const authorization = { authorization: `Bearer ${boundToken}` };
  const file = randomBytes(100);
  const theirs = await begin(file, { project: 'theirs' });
  const own = await begin(file, { project: 'mine' });
  const unknown = { code: 'unknown_archive', field: 'archive' };
  for (const bytes of [file, randomBytes(100)])
    await expectRefusal(await put(theirs.archive, bytes, hashOf(bytes), authorization), 404, unknown);
  const completed = await send('POST', `/${theirs.archive}/complete`, undefined, authorization);
  await expectRefusal(completed, 404, unknown);
  expect((await offer(theirs)).missing).toEqual([hashOf(file)]);
  const deletion = { reason: 'by mistake', actor: 'x', action: 'transcript_deleted' } as const;
  await deleteTranscript(sql, (await rowOf(theirs.archive))?.publicId, deletion);
  await expectRefusal(await put(theirs.archive, file, hashOf(file), authorization), 404, unknown);
  expect((await put(own.archive, file, hashOf(file), authorization)).status).toBe(204);
  const done = await send('POST', `/${own.archive}/complete`, undefined, authorization);
  expect((await progressOf(done)).state).toBe('stored');
});

describe('an uploaded transcript', () => {
  it('is stored only after its bytes were read back', async () => {
    const file = randomBytes(2 * CHUNK_BYTES + 77);
    const offered = offerOf(file);
    const progress = await offer(offered);
    expect(progress).toMatchObject({ state: 'uploading', missing: offered.chunks, verifiedAt: null });
    const [first, second, third] = splitChunks(file) as [Buffer, Buffer, Buffer];
    await put(offered.archive, third);
    await put(offered.archive, first);
    const early = await progressOf(await complete(offered.archive));
    expect(early).toMatchObject({ state: 'uploading', missing: [hashOf(second)] });
    expect(await rowOf(offered.archive)).toMatchObject({ state: 'uploading', verifiedAt: null });
    await put(offered.archive, second);
    const done = await progressOf(await complete(offered.archive));
    expect(done).toMatchObject({ id: progress.id, state: 'stored', missing: [] });
    expect(done.verifiedAt).not.toBeNull();
    expect(hashOf(await bytesOf(offered.archive))).toBe(offered.sha256);
  });

  it('resumes with the missing chunks when the archive is offered again', async () => {
    const file = randomBytes(CHUNK_BYTES + 5);
    const offered = await begin(file);
    const [first, second] = splitChunks(file) as [Buffer, Buffer];
    await put(offered.archive, first);
    expect((await offer(offered)).missing).toEqual([hashOf(second)]);
    expect((await put(offered.archive, first)).status).toBe(204);
    await put(offered.archive, second);
    const done = await progressOf(await complete(offered.archive));
    expect(await offer(offered)).toEqual(done);
    expect(await progressOf(await complete(offered.archive))).toEqual(done);
  });

  it('may be empty, and may be sent compressed', async () => {
    const { progress } = await handOver(Buffer.alloc(0), { lines: 0 });
    expect(progress.state).toBe('stored');
    const file = Buffer.from('{"type":"user"}\n'.repeat(1_000));
    const offered = await begin(file);
    const zipped = await put(offered.archive, gzipSync(file), hashOf(file), { 'content-encoding': 'gzip' });
    expect(zipped.status).toBe(204);
    expect((await progressOf(await complete(offered.archive))).state).toBe('stored');
    expect(hashOf(await bytesOf(offered.archive))).toBe(offered.sha256);
  });

  it('needs only new chunks after the file has grown', async () => {
    const file = randomBytes(2 * CHUNK_BYTES + 500);
    await handOver(file.subarray(0, CHUNK_BYTES + 100), { session: 'grows' });
    const { missing, progress } = await handOver(file, { session: 'grows', version: 'completed' });
    expect(missing).toHaveLength(2);
    expect(progress.state).toBe('stored');
  });

  it('shares one row with its notice in either order', async () => {
    const feed = await createTestFeed(sql, { project: 'met' });
    const file = randomBytes(100);
    const before = offerOf(file, { project: 'met', trigger: null, path: null });
    const notice = { type: 'archive', session: 'one', state: 'stored' } as const;
    const tell = (item: object) => feed.tell({ ...notice, at: Date.now(), ...item });
    await tell({ archive: before.archive, trigger: 'manual', path: '/told/session.jsonl' });
    expect(await rowOf(before.archive)).toMatchObject({ state: 'announced', trigger: 'manual', files: 0 });
    await handOver(file, { ...before });
    expect(await rowOf(before.archive)).toMatchObject({ state: 'stored', path: '/told/session.jsonl' });

    const after = await handOver(randomBytes(100), { project: 'met', trigger: null });
    const { archive } = after.offered;
    await tell({ state: 'failed', archive, trigger: 'auto' });
    expect(await rowOf(archive)).toMatchObject({ state: 'stored', trigger: 'auto', reason: null });

    const silent = randomBytes(50);
    const { offered } = await handOver(silent, { project: 'met' });
    const sha256 = hashOf(silent);
    await tell({ sha256 });
    const announced = randomBytes(60);
    await tell({ sha256: hashOf(announced) });
    await handOver(announced, { project: 'met' });
    const [count] = await sql`
      select count(*)::int as count, count(cause)::int as announced from transcripts t
      join projects p on p.id = t.project_id where p.name = 'met'`;
    expect(count).toEqual({ count: 4, announced: 4 });
    expect(await rowOf(offered.archive)).toMatchObject({ state: 'stored' });
  });

  it('notifies pages that watch its session', async () => {
    const feed = await createTestFeed(sql, { project: 'watched' });
    await feed.tell(testTurn('one', 1_000));
    const id = sessionId('watched', 'one');
    const before = await versionOf(id);
    const versions: number[] = [];
    const { unlisten } = await sql.listen(SESSIONS_CHANNEL, (payload) => {
      for (const [publicId, version] of JSON.parse(payload)) if (publicId === id) versions.push(version);
    });
    await handOver(randomBytes(10), { project: 'watched' });
    // One notification when the upload starts, and one when the transcript is stored.
    await expect.poll(() => versions.slice(-2)).toEqual([before + 1, before + 2]);
    await unlisten();
    expect(await versionOf(id)).toBe(before + 2);
  });
});

describe('a refusal', () => {
  it('rejects a request without a token of scope ingest', async () => {
    const file = randomBytes(3);
    const bare = await send('POST', '', offerOf(file), { authorization: '' });
    await expectRefusal(bare, 401, { code: 'unauthorized' });
    const reader = await send('POST', '', offerOf(file), { authorization: `Bearer ${readToken}` });
    await expectRefusal(reader, 403, { code: 'forbidden' });
  });

  it.each([
    ['fileName', { fileName: '../../etc/passwd' }],
    ['fileName', { fileName: '..' }],
    ['fileName', { fileName: '..\\x.jsonl' }],
    ['fileName', { fileName: '/etc/passwd' }],
    ['fileName', { fileName: 'x\r\nx-evil: 1' }],
    ['fileName', { fileName: 'a\u0000b' }],
    ['session', { session: 'half \ud800' }],
    ['project', { project: '' }],
    ['sha256', { sha256: 'xyz' }],
    ['chunks', { chunks: [] }],
    ['bytes', { bytes: -1 }],
    ['at', { at: '1969-01-01T00:00:00Z' }],
    ['surprise', { surprise: 1 }],
  ])('names the wrong field of an offer: %s', async (field, given) => {
    const response = await send('POST', '', { ...offerOf(randomBytes(9)), ...given });
    await expectRefusal(response, 400, { code: 'invalid_field', field });
  });

  it('refuses a chunk with another hash or length, or without an offer', async () => {
    const file = randomBytes(1_000);
    const offered = await begin(file);
    const sha256 = hashOf(file);
    const wrong = { status: 422, field: 'body' };
    const other = Buffer.from(file);
    other[0] = (other[0] ?? 0) ^ 1;
    await expectRefusal(await put(offered.archive, other, sha256), 422, { ...wrong, code: 'wrong_hash' });
    for (const bytes of [file.subarray(1), Buffer.concat([file, file])]) {
      await expectRefusal(await put(offered.archive, bytes, sha256), 422, { ...wrong, code: 'wrong_length' });
    }
    await expectRefusal(await put(offered.archive, other), 404, { code: 'unknown_chunk', field: 'sha256' });
    await expectRefusal(await put(randomUUID(), file), 404, { code: 'unknown_archive', field: 'archive' });
    await expectRefusal(await complete(randomUUID()), 404, { code: 'unknown_archive' });
    expect((await offer(offered)).missing).toEqual([sha256]);
  });

  it('refuses a gzip bomb, broken gzip, and an unexpected encoding', async () => {
    const file = randomBytes(CHUNK_BYTES);
    const offered = await begin(file);
    const gzip = { 'content-encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(16 * CHUNK_BYTES));
    await expectRefusal(await put(offered.archive, bomb, hashOf(file), gzip), 422, { code: 'wrong_length' });
    const broken = gzipSync(file).subarray(0, 500);
    await expectRefusal(await put(offered.archive, broken, hashOf(file), gzip), 422, { code: 'bad_gzip' });
    const br = { 'content-encoding': 'br' };
    await expectRefusal(await put(offered.archive, file, hashOf(file), br), 415, {
      code: 'unsupported_encoding',
    });
  });

  it('stores nothing of an incomplete body, and accepts the body when resent', async () => {
    const file = randomBytes(100_000);
    const offered = await begin(file);
    await new Promise<void>((resolve, reject) => {
      const socket = connectSocket(server.port, '127.0.0.1', () => {
        socket.write(
          `PUT /v1/archives/${offered.archive}/chunks/${hashOf(file)} HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
            `Authorization: Bearer ${token}\r\nContent-Length: ${file.length}\r\n\r\n`,
        );
        socket.write(file.subarray(0, 50_000), () => {
          socket.destroy();
          resolve();
        });
      });
      socket.on('error', reject);
    });
    expect((await offer(offered)).missing).toEqual([hashOf(file)]);
    expect((await put(offered.archive, file)).status).toBe(204);
    expect((await progressOf(await complete(offered.archive))).state).toBe('stored');
  });

  it('marks an upload as failed if the file has another hash, and removes its bytes', async () => {
    const file = randomBytes(100);
    const offered = await begin(file, { sha256: hashOf(randomBytes(1)) });
    await put(offered.archive, file);
    await expectRefusal(await complete(offered.archive), 422, { code: 'wrong_hash', field: 'sha256' });
    const row = await rowOf(offered.archive);
    expect(row).toMatchObject({ state: 'failed', files: 0 });
    expect(row?.reason).toContain(hashOf(file));
    // With the correct hash, the offer is accepted under the same id.
    await handOver(file, { archive: offered.archive });
    expect(await rowOf(offered.archive)).toMatchObject({ state: 'stored', reason: null });
  });

  it('refuses other bytes under a known id, here or in another project', async () => {
    const { offered } = await handOver(randomBytes(40));
    const other = { ...offerOf(randomBytes(41)), archive: offered.archive };
    await expectRefusal(await send('POST', '', other), 409, { code: 'archive_conflict', field: 'sha256' });
    const elsewhere = { ...offered, project: 'elsewhere' };
    await expectRefusal(await send('POST', '', elsewhere), 409, { code: 'archive_taken', field: 'archive' });
  });

  it('refuses uploads of a deleted transcript or session', async () => {
    const { offered, progress } = await handOver(randomBytes(50), { session: 'deletes' });
    const deletion = { reason: 'by mistake', actor: 'x', action: 'transcript_deleted' } as const;
    await deleteTranscript(sql, progress.id, deletion);
    for (const response of [
      await send('POST', '', offered),
      await put(offered.archive, randomBytes(50), offered.chunks[0]),
      await complete(offered.archive),
    ]) {
      await expectRefusal(response, 410, { code: 'deleted', field: 'archive' });
    }
    const feed = await createTestFeed(sql, { project: 'shop', runner: 'other' });
    await feed.tell(testTurn('gone', 1_000));
    await deleteSession(sql, sessionId('shop', 'gone'));
    const late = await send('POST', '', offerOf(randomBytes(5), { session: 'gone' }));
    await expectRefusal(late, 410, { code: 'session_deleted', field: 'session' });
  });

  it('refuses an upload over a limit of the project, and records the reason', async () => {
    const set = (limits: object) =>
      sql`update projects set settings = ${JSON.stringify({ transcripts: limits })}::text::jsonb where name = 'small'`;
    await sql`insert into projects (name) values ('small')`;
    await set({ maxArchiveBytes: 100 });
    const large = offerOf(randomBytes(101), { project: 'small' });
    await expectRefusal(await send('POST', '', large), 413, { code: 'too_large', field: 'bytes' });
    const row = await rowOf(large.archive);
    expect(row).toMatchObject({ state: 'failed', bytes: 101, files: 0 });
    expect(row?.reason).toBe(
      'the transcript has 101 bytes; the project accepts at most 100 (maxArchiveBytes)',
    );
    expect((await handOver(randomBytes(100), { project: 'small' })).progress.state).toBe('stored');

    await set({ maxArchives: 1 });
    const many = offerOf(randomBytes(10), { project: 'small' });
    await expectRefusal(await send('POST', '', many), 413, { code: 'too_many', field: 'project' });

    await set({ maxStoredBytes: 150 });
    const file = randomBytes(60);
    const begun = await begin(file, { project: 'small' });
    await handOver(randomBytes(90), { project: 'small' });
    const full = { code: 'project_full', field: 'project' };
    await expectRefusal(await put(begun.archive, file), 413, full);
    expect(await rowOf(begun.archive)).toMatchObject({ state: 'failed', files: 0 });
    await expectRefusal(await send('POST', '', offerOf(file, { project: 'small' })), 413, full);
    // The same archive is accepted after the limit was raised.
    await set({});
    expect(
      (await handOver(randomBytes(101), { project: 'small', archive: large.archive })).progress.state,
    ).toBe('stored');
  });

  it('refuses unknown paths and methods', async () => {
    await expectRefusal(await send('GET', ''), 405, { code: 'method_not_allowed' });
    await expectRefusal(await send('PUT', '/x/chunks/y', Buffer.from('')), 404, { code: 'not_found' });
    await expectRefusal(await send('POST', `/${randomUUID()}/complete/more`), 404, { code: 'not_found' });
  });
});

describe('a failing store', () => {
  it('answers 507 while the disk is full, shows the reason, and recovers', async () => {
    const file = randomBytes(300);
    const offered = await begin(file);
    await sql`
      create function disk_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
    await sql`create trigger full_disk before insert on transcript_chunks execute function disk_full()`;
    const refused = await put(offered.archive, file);
    expect(refused.headers.get('retry-after')).toBe('30');
    await expectRefusal(refused, 507, { code: 'disk_full' });
    await expect.poll(async () => (await rowOf(offered.archive))?.reason).toContain('full');
    expect((await progressOf(await complete(offered.archive))).missing).toEqual([hashOf(file)]);
    await sql`drop function disk_full cascade`;
    expect((await put(offered.archive, file)).status).toBe(204);
    expect((await progressOf(await complete(offered.archive))).state).toBe('stored');
    expect(await rowOf(offered.archive)).toMatchObject({ state: 'stored', reason: null });
  });

  it('stores nothing if the server stops during verification, and verifies at the next attempt', async () => {
    const file = randomBytes(700);
    const offered = await begin(file);
    await put(offered.archive, file);
    const stopped = AbortSignal.abort(new Error('stopping'));
    await expect(completeArchive(sql, offered.archive, stopped)).rejects.toThrow('stopping');
    expect(await rowOf(offered.archive)).toMatchObject({ state: 'uploading', verifiedAt: null });
    expect((await progressOf(await complete(offered.archive))).state).toBe('stored');
  });
});
