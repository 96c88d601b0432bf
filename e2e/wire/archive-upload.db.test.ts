/** Uploads of a runner's archives to a server process. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHUNK_BYTES } from '@/core/api/transcripts';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { indexFile, readArchiveIndex } from '@/runner/src/archive/archive-index';
import { archiveTranscript } from '@/runner/src/archive/archive-transcript';
import { recoverIndex } from '@/runner/src/archive/list-archives';
import { readHookInput } from '@/runner/src/archive/read-hook-input';
import { digestFile } from '@/runner/src/archive/transcript-file';
import { ArchiveEndpoints } from '@/runner/src/upload/archive-server';
import { completeArchives } from '@/runner/src/upload/complete-archives';
import { replayTranscript } from '@/runner/src/upload/testing/replay-transcript';
import { type LocalOffer, uploadArchive } from '@/runner/src/upload/upload-archive';
import { uploadPending } from '@/runner/src/upload/upload-pending';
import { makeToken, type ServerProcess, startServerProcess } from './start-server-process';

const fixture = fileURLToPath(
  new URL(
    '../../core/agents/claude-code/fixtures/compactions/-home-dev-harbour/11111111-1111-4111-8111-111111111111.jsonl',
    import.meta.url,
  ),
);

let database: TestDatabase;
let token: string;
let folder: string;
/** Shared by the tests, because a server process takes seconds to start. */
let server: ServerProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  token = await makeToken(database.sql);
  server = await startServerProcess(database.url);
});
afterAll(async () => {
  await server?.kill();
  await database?.close();
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'wire-archives-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The server's rows, oldest first, by the runner's id. */
async function rowsOf(project: string) {
  const rows = await database.sql<Record<string, unknown>[]>`
    select t.archive::text, t.state, t.version, t.boundary, t.sha256, t.bytes::int, t.lines::int, t.reason,
      t.verified_at is not null as verified, t.host, t.path, t.trigger
    from transcripts t join projects p on p.id = t.project_id where p.name = ${project} order by t.bytes`;
  return [...rows];
}

/** Replays a transcript with the hook before each compaction, then completes the archives. */
async function replay(project: string) {
  const config = path.join(folder, 'config');
  const target = path.join(folder, 'projects', `-home-dev-${project}`, `${randomUUID()}.jsonl`);
  /** By the archive's id. */
  const contents = new Map<string, Buffer>();
  const completed = await replayTranscript(fixture, target, async ({ payload, content }) => {
    const input = readHookInput(payload);
    const { entry } = await archiveTranscript({
      input,
      repoPath: '/home/dev/harbour',
      configFolder: config,
      session: null,
      now: Date.now(),
    });
    contents.set(entry.id, content);
  });
  const [hook] = (await readArchiveIndex(config)).entries;
  const made = await completeArchives({
    path: target,
    session: hook?.session ?? '',
    clientSessionId: null,
    folder: '/home/dev/harbour',
    project,
    configFolder: config,
    now: Date.now(),
  });
  for (const [index, { id }] of made.entries()) contents.set(id, completed[index] ?? Buffer.alloc(0));
  return { config, contents };
}

const uploadTo = (config: string, project: string) => ({
  server: { url: server.url, token },
  configFolder: config,
  host: 'pier',
  project,
  options: { timing: { baseMs: 20, capMs: 200, patienceMs: 30_000 } },
});

test('archives a replayed transcript at each hook and compaction, byte for byte', async () => {
  const { config, contents } = await replay('replayed');
  expect(contents.size).toBe(4);
  expect(await uploadPending(uploadTo(config, 'replayed'))).toMatchObject({ stored: 4, refused: 0 });
  const rows = await rowsOf('replayed');
  expect(rows.map(({ version }) => version)).toEqual(['hook', 'completed', 'hook', 'completed']);
  for (const row of rows) {
    const content = contents.get(String(row.archive)) ?? Buffer.alloc(0);
    expect(row).toMatchObject({
      state: 'stored',
      verified: true,
      sha256: hashOf(content),
      bytes: content.length,
      host: 'pier',
    });
  }
  const summaries = await database.sql<{ version: string; summary: string | null }[]>`
    select t.version, f.summary from transcript_files f join transcripts t on t.id = f.transcript_id
    join projects p on p.id = t.project_id where p.name = 'replayed' order by t.bytes`;
  // Only completed archives have the client's summary.
  expect(summaries.map(({ version, summary }) => [version, summary === null])).toEqual([
    ['hook', true],
    ['completed', false],
    ['hook', true],
    ['completed', false],
  ]);
  expect(rows[1]?.boundary).toBe('11111111-0000-4000-8000-000000000006');
  expect(rows[3]).toMatchObject({ trigger: 'manual', boundary: '11111111-0000-4000-8000-000000000010' });
});

test('recognises archives that a runner found on disk after it lost its index', async () => {
  const { config } = await replay('forgotten');
  await uploadPending(uploadTo(config, 'forgotten'));
  const before = await rowsOf('forgotten');
  rmSync(indexFile(config));
  expect(await recoverIndex(config)).toMatchObject({ recovered: 2 });
  const again = await uploadPending(uploadTo(config, 'forgotten'));
  expect(again).toMatchObject({ stored: 2, refused: 0, waiting: 0, sentBytes: 0 });
  expect(await rowsOf('forgotten')).toEqual(before);
});

test('accepts one archive through two server processes at once', async () => {
  const other = await startServerProcess(database.url);
  try {
    const file = path.join(folder, 'long.jsonl');
    writeFileSync(file, randomBytes(5 * CHUNK_BYTES));
    const offer: LocalOffer = {
      archive: randomUUID(),
      project: 'twice',
      session: 'long',
      at: new Date().toISOString(),
      trigger: 'auto',
      version: 'hook',
      fileName: 'long.jsonl',
      path: file,
      host: null,
      ...(await digestFile(file)),
    };
    const uploads = [server, other].map(({ url }) =>
      uploadArchive(offer, new ArchiveEndpoints({ url, token }), {}),
    );
    const [one, two] = await Promise.all(uploads);
    expect(one?.id).toBe(two?.id);
    expect(await rowsOf('twice')).toMatchObject([{ state: 'stored', sha256: offer.sha256, verified: true }]);
  } finally {
    await other.kill();
  }
});
