/** Uploads of a runner's archives to a server process. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CHUNK_BYTES } from '@/core/api/transcripts';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { readArchiveIndex } from '@/runner/src/archive/archive-index';
import { archiveTranscript } from '@/runner/src/archive/archive-transcript';
import type { ArchiveEntry } from '@/runner/src/archive/archive-types';
import { readHookInput } from '@/runner/src/archive/read-hook-input';
import { refusalFields, refusalOf } from '@/runner/src/archive/report-archive';
import { digestFile } from '@/runner/src/archive/transcript-file';
import { createClient } from '@/runner/src/index';
import { ArchiveEndpoints } from '@/runner/src/upload/archive-server';
import { completeArchives } from '@/runner/src/upload/complete-archives';
import { replayTranscript } from '@/runner/src/upload/testing/replay-transcript';
import { type LocalOffer, uploadArchive } from '@/runner/src/upload/upload-archive';
import type { EntryOutcome } from '@/runner/src/upload/upload-entry';
import { uploadPending } from '@/runner/src/upload/upload-pending';
import { makeIngestToken, type ServerProcess, startServerProcess } from './server-process';

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
  token = await makeIngestToken(database.sql);
  server = await startServerProcess(database.url);
}, 60_000);
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

interface Replayed {
  config: string;
  entries: ArchiveEntry[];
  /** Contents by the archive's id. */
  contents: Map<string, Buffer>;
}

/** Replays a transcript with the hook before each compaction, then completes the archives. */
async function replay(project: string): Promise<Replayed> {
  const config = path.join(folder, 'config');
  const target = path.join(folder, 'projects', `-home-dev-${project}`, `${randomUUID()}.jsonl`);
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
  return { config, entries: (await readArchiveIndex(config)).entries, contents };
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

test('reports an archive for which the project has no room, and uploads it once there is room', async () => {
  const settings = (maxArchives: number) => database.sql.json({ transcripts: { maxArchives } });
  await database.sql`insert into projects (name, settings) values ('small', ${settings(1)})`;
  const { config } = await replay('small');
  const client = createClient({
    url: server.url,
    token,
    project: 'small',
    runner: { name: 'claude-code' },
    queueFolder: path.join(folder, 'queue'),
  });
  const reported: string[] = [];
  const upload = {
    ...uploadTo(config, 'small'),
    onOutcome: (entry: ArchiveEntry, outcome: EntryOutcome) => {
      const reason = refusalOf(outcome);
      if (reason === null || entry.session === null) return;
      reported.push(entry.id);
      const { session } = entry;
      client.send({ type: 'archive', session, ...refusalFields(entry, reason, Date.now()) });
    },
  };
  expect(await uploadPending(upload)).toMatchObject({ stored: 1, refused: 0, waiting: 3 });
  expect(await uploadPending(upload)).toMatchObject({ stored: 0, refused: 0, waiting: 3 });
  expect(await client.close()).toMatchObject({ delivered: true, refused: [] });
  expect(reported.length).toBeGreaterThan(0);
  // One report per archive, for any number of attempts.
  expect(new Set(reported).size).toBe(reported.length);
  const failed = (await rowsOf('small')).filter(({ state }) => state === 'failed');
  expect(failed.map(({ archive }) => archive).sort()).toEqual([...reported].sort());
  expect(failed[0]?.reason).toContain('maxArchives');
  const events = await database.sql`
    select detail->>'reason' as reason from events where kind = 'archive_failed' and not retracted`;
  expect(events[0]?.reason).toContain('not uploaded yet: the project has 1 transcripts');
  await database.sql`update projects set settings = ${settings(10)} where name = 'small'`;
  expect(await uploadPending(upload)).toMatchObject({ stored: 3, refused: 0, waiting: 0 });
  expect((await rowsOf('small')).map(({ state }) => state)).toEqual(['stored', 'stored', 'stored', 'stored']);
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
}, 60_000);
