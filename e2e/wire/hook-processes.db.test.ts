/** Processes of `barograph hook`, `watch` and `import` that report to a real server. */
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readArchiveIndex } from '@/runner/src/archive/archive-index';
import { expectAnswer, runHook } from '@/runner/src/hook/testing/hook';
import {
  boundaryLine,
  callLine,
  promptLine,
  SESSION_ID,
} from '@/runner/src/transcripts/testing/write-transcript';
import { prepareWire, until } from './prepare-wire';
import { startServerProcess } from './start-server-process';

const wire = prepareWire();

test('a session of a watcher, the hook and an import has one event and one archive of its compaction', async () => {
  const { command, home, env } = wire;
  const { sql } = wire.database;
  const projects = join(home.folder, '.claude', 'projects');
  rmSync(home.transcript);
  const transcript = join(projects, '-home-dev-guessed', `${SESSION_ID}.jsonl`);
  const now = () => new Date().toISOString();
  const write = (...lines: string[]) => appendFileSync(transcript, lines.join(''));
  const fire = async (fields: Record<string, unknown>) => {
    const about = { session_id: SESSION_ID, transcript_path: transcript, ...fields };
    expectAnswer(await runHook(command, home, { env, input: home.payload(about) }));
  };
  const calls = async () => (await sql`select 1 from turns`).length;
  const sessions = () => sql`
    select p.name as project, s.key, s.title, (select count(*)::int from turns t where t.session_id = s.id) as turns,
      (select count(*)::int from contexts c where c.session_id = s.id) as contexts,
      (select count(*)::int from transcripts t where t.session = s.public_id) as archives
    from sessions s join projects p on p.id = s.project_id`;

  await wire.watch(projects);
  // The first lines name no folder, so only the hook knows the project.
  mkdirSync(join(transcript, '..'));
  write(`${JSON.stringify({ type: 'mode', mode: 'default', sessionId: SESSION_ID })}\n`.repeat(3));
  await fire({ hook_event_name: 'SessionStart', source: 'startup' });
  await until(async () => (await sessions()).length === 1);
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
  expect(await sql`select context from turns order by position`).toMatchObject([
    { context: 0 },
    { context: 0 },
    { context: 1 },
  ]);
  const found = await sessions();
  const expected = { project: 'harbour', key: SESSION_ID, title: 'Go on', turns: 3, contexts: 2 };
  expect(found).toMatchObject([expected]);
  expect(found[0]?.archives).toBeGreaterThan(0);

  // A runner that lost its queue sends everything again.
  const lost = { ...env, BAROGRAPH_DATA_DIR: join(home.folder, 'lost') };
  const imported = await runHook(command, home, { env: lost, args: ['import', projects] });
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('Imported 3 calls') });
  expect(await sessions()).toEqual(found);
});

test('the hook after a compaction resumes an upload to a killed server', async () => {
  const { command, home, database, server } = wire;
  const env = { ...wire.env, BAROGRAPH_UPLOAD_ARCHIVES: 'on' };
  const transcripts = async () => {
    const rows = await database.sql<{ state: string; version: string; sha256: string; sent: number }[]>`
      select t.state, t.version, t.sha256,
        (select count(*)::int from transcript_chunks c where c.project_id = t.project_id) as sent
      from transcripts t order by t.version desc`;
    return [...rows];
  };
  // Slow chunks make the kill hit the middle of the upload.
  await database.sql.unsafe(`
    create function take_a_while() returns trigger language plpgsql as
      'begin perform pg_sleep(0.25); return new; end';
    create trigger slowly before insert on transcript_chunks for each row execute function take_a_while()`);
  const noise = Array.from({ length: 8 }, () => promptLine(randomBytes(512 * 1024).toString('hex')));
  writeFileSync(home.transcript, noise.join(''));
  const atHook = createHash('sha256').update(readFileSync(home.transcript)).digest('hex');
  expectAnswer(await runHook(command, home, { env }));
  await until(async () => ((await transcripts())[0]?.sent ?? 0) >= 2);
  await server.kill();
  await database.sql`drop trigger slowly on transcript_chunks`;
  const [broken] = await transcripts();
  expect(broken?.state).toBe('uploading');
  const config = join(home.folder, '.config', 'barograph');
  await until(async () => (await readArchiveIndex(config)).entries[0]?.uploadReason != null);
  wire.server = await startServerProcess(database.url, server.port);
  appendFileSync(home.transcript, boundaryLine('b1'));
  const input = home.payload({ hook_event_name: 'PostCompact' });
  expectAnswer(await runHook(command, home, { env, input }));
  await home.untilQuiet();
  expect((await transcripts()).map(({ state, version }) => [version, state])).toEqual([
    ['hook', 'stored'],
    ['completed', 'stored'],
  ]);
  expect((await transcripts())[0]?.sha256).toBe(atHook);
});
