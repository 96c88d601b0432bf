/** The upload of a hook's process to a server that is killed. */
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { readArchiveIndex } from '@/runner/src/archive/archive-index';
import { BuiltCommand, expectAnswer, HookHome, runHook } from '@/runner/src/hook/testing/hook';
import { boundaryLine, promptLine } from '@/runner/src/transcripts/testing/write-transcript';
import { makeIngestToken, type ServerProcess, startServerProcess } from './server-process';

let database: TestDatabase;
let command: BuiltCommand;
let home: HookHome;
let server: ServerProcess;

beforeAll(async () => {
  [command, database] = await Promise.all([new BuiltCommand().build(), createTestDatabase()]);
  home = new HookHome();
  server = await startServerProcess(database.url);
}, 60_000);
afterAll(async () => {
  await server?.kill();
  await home?.remove();
  command?.remove();
  await database?.close();
}, 60_000);

/** Resolves once the condition is true. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function transcripts() {
  const rows = await database.sql<{ state: string; version: string; sha256: string; sent: number }[]>`
    select t.state, t.version, t.sha256,
      (select count(*)::int from transcript_chunks c where c.project_id = t.project_id) as sent
    from transcripts t order by t.version desc`;
  return [...rows];
}

test('the hook after a compaction resumes an upload to a killed server', async () => {
  const token = await makeIngestToken(database.sql);
  const { port } = server;
  // Slow chunks make the kill hit the middle of the upload.
  await database.sql.unsafe(`
    create function take_a_while() returns trigger language plpgsql as
      'begin perform pg_sleep(0.25); return new; end';
    create trigger slowly before insert on transcript_chunks for each row execute function take_a_while()`);
  const noise = Array.from({ length: 16 }, () => promptLine(randomBytes(512 * 1024).toString('hex')));
  writeFileSync(home.transcript, noise.join(''));
  const atHook = createHash('sha256').update(readFileSync(home.transcript)).digest('hex');
  const env = { BAROGRAPH_URL: server.url, BAROGRAPH_TOKEN: token, BAROGRAPH_UPLOAD_ARCHIVES: 'on' };
  expectAnswer(await runHook(command, home, { env }));
  await until(async () => ((await transcripts())[0]?.sent ?? 0) >= 2);
  await server.kill();
  const [broken] = await transcripts();
  expect(broken?.state).toBe('uploading');
  const config = join(home.folder, '.config', 'barograph');
  await until(async () => (await readArchiveIndex(config)).entries[0]?.uploadReason != null);
  server = await startServerProcess(database.url, port);
  appendFileSync(home.transcript, boundaryLine('b1'));
  expectAnswer(
    await runHook(command, home, { env, input: home.payload({ hook_event_name: 'PostCompact' }) }),
  );
  await home.untilQuiet();
  expect((await transcripts()).map(({ state, version }) => [version, state])).toEqual([
    ['hook', 'stored'],
    ['completed', 'stored'],
  ]);
  expect((await transcripts())[0]?.sha256).toBe(atHook);
}, 120_000);
