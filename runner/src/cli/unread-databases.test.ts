import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FakeServer } from '../client/testing/fake-server';
import { insert, SCHEMA, type Statement, writeDatabase } from '../transcripts/testing/opencode-database';
import type { FakeArchiveServer } from '../upload/testing/fake-archive-server';
import { runCli, serveBoth } from './testing/run-cli';

const fixture = fileURLToPath(
  new URL('../../../core/agents/claude-code/fixtures/compactions', import.meta.url),
);
const UNKNOWN =
  'unknown schema: expected the tables session, message, part or session_v2, session_message. Update';
let folder: string;
let file: string;
let servers: { archives: FakeArchiveServer; items: FakeServer };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unread-databases-'));
  for (const name of ['data', 'opencode']) mkdirSync(join(folder, name));
  file = join(folder, 'opencode', 'opencode.db');
  vi.stubEnv('BAROGRAPH_DATA_DIR', join(folder, 'data'));
  vi.stubEnv('BAROGRAPH_CONFIG_DIR', join(folder, 'config'));
  vi.stubEnv('XDG_DATA_HOME', folder);
  servers = await serveBoth(join(folder, 'data'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await servers.items.stop();
  await servers.archives.stop();
  rmSync(folder, { recursive: true });
});

it('imports other transcripts, names a database with unknown tables, and exits with 1', async () => {
  writeDatabase(file, [['create table talk (id text)', []]]);
  cpSync(fixture, join(folder, 'projects'), { recursive: true });
  const { code, lines, problems } = await runCli(['import', folder]);
  expect(code).toBe(1);
  expect(problems).toContain(`skipped: ${file}: ${UNKNOWN}`);
  expect(lines).toContain('Imported 6 calls and 2 compactions of 1 session');
  expect(await runCli(['import', file])).toMatchObject({ code: 1, lines: '' });
});

it('names a database with unknown tables in doctor', async () => {
  writeDatabase(file, [['create table talk (id text)', []]]);
  const { code, lines } = await runCli(['doctor']);
  expect(code).toBe(1);
  expect(lines).toContain(`${file} cannot be read`);
  expect(lines).toContain(`→ ${UNKNOWN}`);
});

it('states no size of a database that was imported', async () => {
  const tokens = { input: 9, output: 5, cache: {} };
  const time = { created: 2_000, completed: 3_000 };
  const values = ['ses_a', 'global', 'calm', '/home/dev/harbour', 'Paint', '1.18.33', 1_000, 1_000];
  writeDatabase(file, [
    ...SCHEMA.map((sql): Statement => [sql, []]),
    [
      `insert into session (id, project_id, slug, directory, title, version, time_created, time_updated)
        values (?, ?, ?, ?, ?, ?, ?, ?)`,
      values,
    ],
    insert('message', ['msg_1', 'ses_a', 2_000, 3_000], { role: 'assistant', finish: 'stop', time, tokens }),
  ]);
  expect(await runCli(['import', file])).toMatchObject({
    code: 0,
    problems: '',
    lines: expect.stringContaining('Imported 1 call and 0 compactions of 1 session from 1 file.'),
  });
});
