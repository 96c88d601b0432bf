/** Rollouts of Codex that `import`, `watch` and the hook report to a real server. */
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { expectAnswer, runHook } from '@/runner/src/hook/testing/hook';
import { prepareWire, until } from './prepare-wire';

const wire = prepareWire();
const ID = '019c8a4c-0000-7000-8000-00000000000a';
const NAME = `rollout-2026-03-01T10-00-00-${ID}.jsonl`;
const fixture = readFileSync(
  new URL(`../../core/agents/codex/fixtures/repeated-totals/sessions/2026/03/01/${NAME}`, import.meta.url),
  'utf8',
);

test('a growing rollout of Codex has the same numbers from watch and hook, and from an import of its archived file', async () => {
  const { command, home, env } = wire;
  const { sql } = wire.database;
  const codex = join(home.folder, '.codex');
  const rollout = join(codex, 'sessions', '2026', '03', '01', NAME);
  const sessions = () => sql`
    select p.name as project, s.key, s.title, s.client,
      (select jsonb_agg(jsonb_build_array(t.input, t.output, t.cache_read, t.reading, t.limit_tokens) order by t.position)
        from turns t where t.session_id = s.id) as turns,
      (select count(*)::int from contexts c where c.session_id = s.id) as contexts
    from sessions s join projects p on p.id = s.project_id`;
  const turns = async () => (await sql`select 1 from turns`).length;
  const fire = async (fields: Record<string, unknown>) => {
    const about = { session_id: ID, transcript_path: rollout, cwd: '/home/dev/harbour', model: 'gpt-5.4' };
    expectAnswer(await runHook(command, home, { env, input: JSON.stringify({ ...about, ...fields }) }));
  };
  const compactions = () =>
    sql`select detail from events where kind = 'compaction' and not retracted order by position`;

  mkdirSync(dirname(rollout), { recursive: true });
  const started = await wire.watch();
  const lines = fixture.split(/(?<=\n)/);
  // The hook's reports are matched by time.
  const write = (part: string[]) =>
    appendFileSync(rollout, part.join('').replaceAll(/2026-03-01T[^"]*/g, new Date().toISOString()));
  const boundary = lines.findIndex((line) => line.includes('"type":"compacted"'));
  write(lines.slice(0, boundary));
  await until(async () => (await turns()) === 2);
  await fire({ hook_event_name: 'SessionStart', source: 'startup', permission_mode: 'bypassPermissions' });
  await fire({ hook_event_name: 'PreCompact', trigger: 'auto', turn_id: 't1' });
  await until(async () => (await compactions()).length === 1);
  // The compaction is reported before the estimate of its size is written.
  write(lines.slice(boundary, boundary + 1));
  await until(async () => (await compactions())[0]?.detail.state === 'confirmed');
  await fire({ hook_event_name: 'PostCompact', trigger: 'auto', turn_id: 't1' });
  write(lines.slice(boundary + 1));
  await until(async () => (await turns()) === 3);
  const ended = once(started, 'exit');
  started.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  // The hook's second process reads the compaction's line.
  await home.untilQuiet();

  const found = await sessions();
  expect(found).toEqual([
    {
      ...{ project: 'harbour', key: ID, title: 'Paint the boats', client: 'codex', contexts: 2 },
      turns: [
        [2_400, 300, 9_600, 12_300, 258_400],
        [7_500, 500, 12_000, 20_000, 258_400],
        [6_000, 50, 9_000, 15_050, 258_400],
      ],
    },
  ]);
  const events = await compactions();
  const sizes = { preTokens: 20_000, postTokens: 6_000 };
  expect(events).toMatchObject([{ detail: { state: 'confirmed', ...sizes, archive: { state: 'stored' } } }]);

  // Codex moves the file of an archived session.
  const archived = join(codex, 'archived_sessions', NAME);
  mkdirSync(dirname(archived));
  renameSync(rollout, archived);
  const lost = { ...env, BAROGRAPH_DATA_DIR: join(home.folder, 'lost') };
  const imported = await runHook(command, home, { env: lost, args: ['import', codex] });
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('Imported 3 calls') });
  expect(await sessions()).toEqual(found);
  expect(await compactions()).toEqual(events);
});
