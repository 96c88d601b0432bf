/** Sessions of Gemini CLI that `import`, `watch` and the hook report to a real server. */
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { expectAnswer, runHook } from '@/runner/src/hook/testing/hook';
import { prepareWire, until } from './prepare-wire';

const wire = prepareWire();
const ID = '0f7f3534-ae04-4d05-9cf9-00000000000a';
const NAME = 'session-2026-03-01T10-00-0f7f3534.jsonl';
const fixture = readFileSync(
  new URL(`../../core/agents/gemini/fixtures/rewrites/tmp/harbour/chats/${NAME}`, import.meta.url),
  'utf8',
);

test('a session of Gemini CLI has the same numbers from watch and hook, and from an import', async () => {
  const { command, home, env } = wire;
  env.BAROGRAPH_UPLOAD_ARCHIVES = 'on';
  const { sql } = wire.database;
  const folder = join(home.folder, '.gemini', 'tmp', 'harbour');
  const file = join(folder, 'chats', NAME);
  const sessions = () => sql`
    select p.name as project, s.key, s.title,
      (select jsonb_agg(jsonb_build_array(t.input, t.output, t.cache_read, t.reading) order by t.position)
        from turns t where t.session_id = s.id) as turns,
      (select count(*)::int from contexts c where c.session_id = s.id) as contexts
    from sessions s join projects p on p.id = s.project_id`;
  const compactions = () =>
    sql`select detail from events where kind = 'compaction' and not retracted order by position`;
  const turns = async () => (await sql`select 1 from turns`).length;
  const fire = async (fields: Record<string, unknown>) => {
    const about = { session_id: ID, transcript_path: file, cwd: '/home/dev/harbour' };
    expectAnswer(await runHook(command, home, { env, input: JSON.stringify({ ...about, ...fields }) }));
  };

  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(folder, '.project_root'), '/home/dev/harbour');
  const started = await wire.watch();
  const lines = fixture.split(/(?<=\n)/);
  // The server matches the hook's reports with the transcript by time.
  const write = (part: string[]) =>
    appendFileSync(
      file,
      part.join('').replaceAll(/2026-03-01T[^"]*/g, () => new Date().toISOString()),
    );
  const boundary = lines.findIndex((line) => line.includes('Got it. Thanks'));
  write(lines.slice(0, boundary - 1));
  await until(async () => (await turns()) === 3);
  await fire({ hook_event_name: 'SessionStart', source: 'startup' });
  // This hook fires before every call.
  await fire({ hook_event_name: 'PreCompress', trigger: 'auto' });
  await fire({ hook_event_name: 'PreCompress', trigger: 'manual' });
  await until(async () => (await compactions()).length === 1);
  write(lines.slice(boundary - 1));
  await until(async () => (await turns()) === 5);
  await fire({ hook_event_name: 'SessionEnd', reason: 'exit' });
  const ended = once(started, 'exit');
  started.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  // The hook's second process reads the compaction's line.
  await home.untilQuiet();

  const found = await sessions();
  expect(found).toEqual([
    {
      ...{ project: 'harbour', key: ID, title: 'Paint the boats', contexts: 2 },
      turns: [
        [5_000, 150, 3_000, 8_150],
        [2_000, 200, 7_000, 9_200],
        [3_000, 400, 9_000, 12_400],
        [4_010, 40, 0, 4_050],
        [200, 60, 3_900, 4_160],
      ],
    },
  ]);
  const events = await compactions();
  expect(events).toMatchObject([
    { detail: { state: 'confirmed', trigger: 'manual', preTokens: 12_400, archive: { state: 'stored' } } },
  ]);

  const archives =
    await sql`select version, state, boundary is not null as bound from transcripts order by bytes`;
  expect(archives).toEqual([
    { version: 'hook', state: 'stored', bound: false },
    { version: 'completed', state: 'stored', bound: true },
  ]);

  const lost = { ...env, BAROGRAPH_DATA_DIR: join(home.folder, 'lost') };
  const imported = await runHook(command, home, {
    env: lost,
    args: ['import', join(home.folder, '.gemini')],
  });
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('Imported 5 calls') });
  expect(await sessions()).toEqual(found);
  expect(await compactions()).toEqual(events);
});
