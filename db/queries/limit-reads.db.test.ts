import { beforeAll, expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import { openTestDatabase } from '../testing/test-database';
import { transact } from '../transact';
import { recordAudit } from '../transcripts/record-audit';
import { listAlerts } from './alerts/list-alerts';
import { listEvents } from './events';
import { findSession } from './find-session';
import { loadHistory } from './history/load-history';
import { limitReads } from './limit-reads';
import { listFilterChoices } from './list-filter-choices';
import { listLimits } from './list-limits';
import { listSessions } from './list-sessions';
import { fleetCounts, listChangedSessions, newestTurnAt } from './live-fleet';
import { loadRecentSessions } from './load-session';
import { listProjectSettings, loadProjectSettings } from './project-settings';
import { createTestFeed, testTurn } from './testing-feed';
import { listAudit } from './transcripts/list-audit';
import { listKept } from './transcripts/list-kept';
import { listTranscripts } from './transcripts/list-transcripts';

const { sql } = await openTestDatabase();
const nowMs = Date.now();
const clock = { nowMs, idleAfterMs: 600_000 };

beforeAll(async () => {
  for (const project of ['atlas', 'borealis']) {
    const feed = await createTestFeed(sql, { project, runner: `${project} runner` });
    await feed.tell(
      { type: 'session_start', session: project, model: `${project} model`, lens: 'snapshot', limit: 10_000 },
      testTurn(project, 9_900),
      { type: 'archive', session: project, state: 'failed', reason: 'the disk is full' },
      { type: 'compaction', session: project, trigger: 'auto', state: 'confirmed' },
      testTurn(project, 1_000),
    );
    await recordAudit(sql, { actor: 'a', action: 'settings_changed', project });
  }
});

/** Everything that a client reads from the lists, as text. */
async function readAll(client: typeof sql): Promise<string> {
  const lists = await Promise.all([
    listSessions(client, {}, clock),
    listEvents(client, {}),
    listAlerts(client, {}),
    listFilterChoices(client),
    listLimits(client),
    listProjectSettings(client),
    listKept(client),
    listAudit(client),
    listTranscripts(client),
    loadRecentSessions(client, 10, clock),
    loadHistory(client, { by: 'project', bucket: '1m' }, nowMs + 60_000),
    loadHistory(client, { by: 'model' }, nowMs + 60_000),
    listChangedSessions(client, 0),
  ]);
  return JSON.stringify(lists);
}

it('reads the rows of its projects only', async () => {
  expect(await readAll(sql)).toMatch(/borealis.*/);
  const text = await readAll(limitReads(sql, ['atlas']));
  expect(text).toContain('atlas');
  expect(text).not.toContain('borealis');
  expect(text).not.toContain(sessionId('borealis', 'borealis'));
  expect(await readAll(limitReads(sql, []))).not.toMatch(/atlas|borealis/);
});

it('counts and finds within its projects only', async () => {
  const limited = limitReads(sql, ['atlas']);
  expect((await fleetCounts(sql, nowMs + 1_000)).compactions).toBe(2);
  expect((await fleetCounts(limited, nowMs + 1_000)).compactions).toBe(1);
  expect(await newestTurnAt(limitReads(sql, []))).toBeNull();
  expect(await findSession(limited, sessionId('borealis', 'borealis'))).toBeNull();
  expect(await findSession(limited, sessionId('atlas', 'atlas'))).not.toBeNull();
  expect(await loadProjectSettings(limited, 'borealis')).toBeNull();
});

it('keeps its limit in transactions, and without a limit is the same client', async () => {
  const found = await transact(limitReads(sql, ['atlas']), (tx) =>
    findSession(tx, sessionId('borealis', 'borealis')),
  );
  expect(found).toBeNull();
  expect(limitReads(sql, null)).toBe(sql);
});
