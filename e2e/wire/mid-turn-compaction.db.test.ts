/** A compaction in the middle of a turn, as `barograph watch` and the hook report it to a real server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { BuiltCommand, HookHome, runHook } from '@/runner/src/hook/testing/hook';
import { boundaryLine, callLine, promptLine } from '@/runner/src/transcripts/testing/write-transcript';
import { makeIngestToken, type ServerProcess, startServerProcess } from './server-process';

let database: TestDatabase;
let command: BuiltCommand;
let home: HookHome;
let server: ServerProcess;
let watch: ChildProcess | undefined;

beforeAll(async () => {
  [command, database] = await Promise.all([new BuiltCommand().build(), createTestDatabase()]);
  home = new HookHome();
  server = await startServerProcess(database.url);
}, 60_000);
afterAll(async () => {
  watch?.kill('SIGKILL');
  await home?.remove();
  await server?.kill();
  command?.remove();
  await database?.close();
}, 60_000);

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

const now = () => new Date().toISOString();
const write = (...lines: string[]) => appendFileSync(home.transcript, lines.join(''));

test('a compaction in the middle of a turn becomes one event with one archive, and its session ends', async () => {
  const { sql } = database;
  const token = await makeIngestToken(sql);
  const env = { BAROGRAPH_URL: server.url, BAROGRAPH_TOKEN: token };
  const fire = (fields: Record<string, unknown>) =>
    runHook(command, home, { env, input: home.payload(fields) });
  const calls = async () => (await sql`select 1 from turns`).length;

  const started = spawn(process.execPath, [command.cli, 'watch', join(home.folder, '.claude', 'projects')], {
    env: { ...home.env, ...env } as unknown as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  watch = started;
  await once(started.stdout, 'data');
  write(promptLine('Go on', now()), callLine('msg_1', 5, now()));
  await until(async () => (await calls()) === 1);
  // `watch` holds the newest call back for a moment, so the hook's announcement arrives first.
  write(callLine('msg_2', 6, now()));
  await fire({ trigger: 'auto' });
  write(boundaryLine('b1', 'auto', now()));
  await fire({ hook_event_name: 'PostCompact' });
  write(callLine('msg_3', 7, now()));
  await until(async () => (await calls()) === 3);
  await fire({ hook_event_name: 'SessionEnd', reason: 'prompt_input_exit' });
  const events = async () => {
    const rows = await sql<{ kind: string; detail: Record<string, unknown> }[]>`
      select kind, detail from events where not retracted order by position`;
    return rows.filter(({ kind }) => ['compaction', 'session_started', 'session_ended'].includes(kind));
  };
  await until(async () => (await events()).some(({ kind }) => kind === 'session_ended'));
  expect(await events()).toMatchObject([
    { kind: 'session_started' },
    { kind: 'compaction', detail: { state: 'confirmed', boundary: 'b1', archive: { state: 'stored' } } },
    { kind: 'session_ended', detail: { reason: 'prompt_input_exit' } },
  ]);
  expect(await sql`select 1 from sessions`).toHaveLength(1);
  expect(await sql`select context from turns order by position`).toMatchObject([
    { context: 0 },
    { context: 0 },
    { context: 1 },
  ]);
}, 90_000);
