import { afterAll, expect, it } from 'vitest';
import { DEFAULT_RULES } from '../../core/alerts/default-rules';
import { alertList, alertRule, alertRuleList } from '../../core/api/alerts';
import { auditList } from '../../core/api/audit';
import { sessionList } from '../../core/api/responses';
import { deletedProject } from '../../core/api/settings';
import { transcriptList } from '../../core/api/transcripts';
import { listFilterChoices } from '../../db/queries/list-filter-choices';
import { listProjectSettings } from '../../db/queries/project-settings';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { findPlanted } from '../../db/testing/find-planted';
import { bodyOf, startTestApi } from './testing/test-api';

const api = await startTestApi();
afterAll(() => api.close());
const { ask } = api;
const { sql } = api.database;

async function feed(project: string, key = 'busy') {
  const { tell } = await createTestFeed(sql, { project });
  await tell(
    { type: 'session_start', session: key, lens: 'snapshot', limit: 1_000, title: `${key} of ${project}` },
    testTurn(key, 1_200),
    { type: 'archive', session: key, state: 'stored', trigger: 'auto', path: '/tmp/copy', bytes: 9 },
  );
}

/** Adds an enabled rule "over limit" for these projects. */
async function addRule(project: string[]) {
  const { id: _id, ...rule } = DEFAULT_RULES.find(({ condition }) => condition.kind === 'over_limit') ?? {};
  const definition = { ...rule, name: project.join(), enabled: true, scope: { project } };
  return (await bodyOf(alertRule, ask('POST', '/alert-rules', definition))).id;
}

const read = async () => {
  const { rules } = await bodyOf(alertRuleList, ask('GET', '/alert-rules'));
  const { alerts } = await bodyOf(alertList, api.get('/alerts'));
  const { sessions } = await bodyOf(sessionList, api.get('/sessions'));
  const { transcripts } = await bodyOf(transcriptList, api.get('/transcripts'));
  return {
    sessions: sessions.map(({ project }) => project),
    transcripts: transcripts.map(({ project }) => project),
    alerts: alerts.map(({ project }) => project),
    rules: rules.map(({ id }) => id),
    choices: (await listFilterChoices(sql)).projects,
    settings: (await listProjectSettings(sql)).map(({ project }) => project),
  };
};

it('deletes a project with its sessions, transcripts, alerts, own rules and settings, and no other project', async () => {
  const own = await addRule(['gone']);
  const shared = await addRule(['gone', 'stays']);
  await feed('gone');
  await feed('gone', 'second');
  await feed('stays');
  const before = await read();
  expect(before.alerts.toSorted()).toEqual(['gone', 'gone', 'gone', 'gone', 'stays']);
  expect(before.transcripts.toSorted()).toEqual(['gone', 'gone', 'stays']);

  const path = '/projects/gone';
  expect((await ask('DELETE', path, undefined, api.bearer('ingest'))).status).toBe(403);
  expect(await bodyOf(deletedProject, ask('DELETE', path))).toEqual({ deleted: 'gone', sessions: 2 });
  const all = ['stays'];
  const left = await read();
  expect(left).toEqual({
    sessions: all,
    transcripts: all,
    alerts: all,
    rules: [shared],
    choices: all,
    settings: all,
  });
  expect(left.rules).not.toContain(own);
  expect((await ask('DELETE', path)).status).toBe(404);
  expect((await ask('GET', `${path}/settings`)).status).toBe(404);
  const [entry] = (await bodyOf(auditList, ask('GET', '/audit?action=project_deleted'))).entries;
  expect(entry).toMatchObject({ actor: 'a admin', project: 'gone', detail: { sessions: 2 } });

  const { send } = await createTestFeed(sql, { project: 'gone' });
  const { outcomes } = await send([testTurn('busy', 100)]);
  expect(outcomes.flat()).toMatchObject([{ outcome: 'refused', code: 'session_deleted' }]);
  await feed('gone', 'new');
  expect((await read()).settings).toEqual(['gone', 'stays']);
});

it.each([
  ['a session', (id: string) => `/sessions/${id}`],
  ['a runner', () => '/projects/secret/runners/Planted%20laptop'],
  ['a project', () => '/projects/secret'],
])('leaves nothing of %s in any table', async (what, pathOf) => {
  const { tell } = await createTestFeed(sql, { project: 'secret', runner: 'Planted laptop' });
  await sql`update runners set host = 'planted-host' where name = 'Planted laptop'`;
  const key = crypto.randomUUID();
  await tell(
    {
      type: 'session_start',
      session: key,
      title: 'planted title',
      limit: 1_000,
      host: 'planted-host',
      folder: '/planted/folder',
      branch: 'planted-branch',
    },
    testTurn(key, 1_200, { chain: 'planted-agent', call: 'planted-call' }),
    testTurn(key, 1_200),
    {
      type: 'restart',
      session: key,
      continuation: 1,
      reason: 'planted reason',
      checkpoint: 'planted checkpoint',
      prompt: 'planted prompt',
    },
    {
      type: 'archive',
      session: key,
      state: 'stored',
      trigger: 'auto',
      path: '/planted/path',
      bytes: 9,
    },
  );
  const [session] = await sql`select public_id as id from sessions where key = ${key}`;
  const note = { at: new Date().toISOString(), text: 'planted note', author: 'Planted' };
  expect((await ask('POST', `/sessions/${session?.id}/notes`, note)).status).toBe(201);
  expect((await findPlanted(sql, 'planted')).length).toBeGreaterThan(5);
  expect((await ask('DELETE', pathOf(String(session?.id)))).status).toBe(200);
  // The runner of a session may have others.
  expect(await findPlanted(sql, 'planted')).toEqual(what === 'a session' ? ['runners'] : []);
  const again = await createTestFeed(sql, { project: 'secret', runner: 'Planted laptop' });
  const { outcomes } = await again.send([testTurn(key, 100)]);
  expect(outcomes.flat()).toMatchObject([{ outcome: 'refused', code: 'session_deleted' }]);
});
