import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OwnTranscriptSettings } from '../../core/api/transcript-settings';
import { sessionId } from '../../core/identity/session-id';
import { changeProjectSettings, loadProjectSettings } from '../queries/project-settings';
import { createTestFeed, testTurn } from '../queries/testing-feed';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { applyRetention, previewRetention } from './apply-retention';
import { putChunk } from './chunk-store';
import { offerArchive } from './offer-archive';
import { handOver, hashOf, offerOf } from './transcripts-testing';

let database: TestDatabase;
let project: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  project = `p-${randomUUID()}`;
});

const DAY_MS = 86_400_000;

/** @param daysAgo by the runner's clock */
async function keep(daysAgo: number, session = 'one', bytes = 1_000, isEnded = true): Promise<string> {
  const { sql } = database;
  const file = randomBytes(bytes);
  const at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
  if (isEnded) return (await handOver(sql, file, { project, session, at })).offer.archive;
  const offer = offerOf(file, { project, session, at });
  await offerArchive(sql, offer);
  const [row] = await sql<{ id: number }[]>`select id from transcripts where archive = ${offer.archive}`;
  await putChunk(sql, row?.id ?? 0, hashOf(file), file);
  return offer.archive;
}

async function set(transcripts: Partial<OwnTranscriptSettings>): Promise<void> {
  const settings = await loadProjectSettings(database.sql, project);
  const version = settings?.version ?? '';
  const change = { version, transcripts };
  expect((await changeProjectSettings(database.sql, project, change, 'browser')).type).toBe('changed');
}

async function apply(): Promise<string[]> {
  const reasons: string[] = [];
  for await (const { reason } of applyRetention(database.sql)) reasons.push(reason);
  return reasons;
}

async function statesOf(): Promise<Record<string, string>> {
  const rows = await database.sql<{ archive: string; state: string }[]>`
    select t.archive, t.state from transcripts t join projects p on p.id = t.project_id where p.name = ${project}`;
  return Object.fromEntries(rows.map(({ archive, state }) => [archive, state]));
}

describe('retention', () => {
  it('is off until a project sets it', async () => {
    const old = await keep(3_000);
    expect(await apply()).toEqual([]);
    expect(await statesOf()).toEqual({ [old]: 'stored' });
  });

  it('by age deletes older transcripts, and records it in the row and in the audit log', async () => {
    const [old, young] = [await keep(31), await keep(29)];
    await set({ keepDays: 30 });
    const reason = 'retention: kept for 30 days (keepDays)';
    expect(await apply()).toEqual([reason]);
    expect(await statesOf()).toEqual({ [old]: 'deleted', [young]: 'stored' });
    const log = await database.sql`
      select a.actor, a.action, a.detail from audit_log a join projects p on p.id = a.project_id
      where p.name = ${project} and a.actor = 'retention'`;
    expect([...log]).toEqual([
      { actor: 'retention', action: 'transcript_expired', detail: { reason, was: 'stored' } },
    ]);
    expect(await apply()).toEqual([]);
  });

  it('by age ignores a runner clock that is ahead', async () => {
    const ahead = await keep(-3_650);
    await database.sql`
      update transcripts set created_at = now() - interval '40 days' where archive = ${ahead}`;
    await set({ keepDays: 30 });
    expect(await apply()).toHaveLength(1);
  });

  it('keeps the newest transcripts of each session, also of an adopted session', async () => {
    const watcher = await createTestFeed(database.sql, { project, source: 'transcript' });
    await watcher.tell(
      { type: 'session_start', session: 'opened', client: 'c', clientSessionId: 'x' },
      testTurn('opened', 10),
    );
    const runner = await createTestFeed(database.sql, { project, runner: 'own' });
    await runner.tell({ type: 'session_start', session: 'task', client: 'c', clientSessionId: 'x' });
    const kept = [await keep(1, 'task'), await keep(2, 'opened'), await keep(5, 'other')];
    const gone = [await keep(3, 'opened'), await keep(4, 'task')];
    await set({ keepPerSession: 2 });
    expect(await apply()).toHaveLength(2);
    expect(await statesOf()).toEqual({
      ...Object.fromEntries(kept.map((archive) => [archive, 'stored'])),
      ...Object.fromEntries(gone.map((archive) => [archive, 'deleted'])),
    });
    const [session] = await database.sql<{ version: number }[]>`
      select version from sessions where public_id = ${sessionId(project, 'task')}`;
    // Each change raises the version: a start, a turn, and archives that are added or deleted.
    expect(session?.version).toBeGreaterThan(10);
  });

  it('by size deletes the oldest transcripts until the rest fit', async () => {
    const [first, second, third] = [await keep(3), await keep(2), await keep(1)];
    await set({ keepStoredBytes: 2_500 });
    expect(await apply()).toEqual([
      'retention: the newest that fit into 2500 bytes are kept (keepStoredBytes)',
    ]);
    expect(await statesOf()).toEqual({ [first]: 'deleted', [second]: 'stored', [third]: 'stored' });
    await set({ keepStoredBytes: null });
    expect(await apply()).toEqual([]);
  });

  it('by size deletes nothing for a running upload, and never the newest transcript', async () => {
    const [first, second] = [await keep(3), await keep(2)];
    const coming = await keep(1, 'one', 50_000, false);
    await set({ keepStoredBytes: 2_500 });
    expect(await apply()).toEqual([]);
    await set({ keepStoredBytes: 1 });
    expect(await apply()).toHaveLength(1);
    expect(await statesOf()).toEqual({ [first]: 'deleted', [second]: 'stored', [coming]: 'uploading' });
  });

  it('fails an abandoned upload, which may be offered again', async () => {
    const archive = await keep(1, 'one', 1_000, false);
    expect(await apply()).toEqual([]);
    await database.sql`update transcripts set changed_at = now() - interval '8 days' where archive = ${archive}`;
    expect(await apply()).toEqual(['the upload was not completed within 7 days']);
    expect(await statesOf()).toEqual({ [archive]: 'failed' });
    const [left] = await database.sql`
      select count(*)::int as count from transcript_chunks c join projects p on p.id = c.project_id
      where p.name = ${project}`;
    expect(left).toEqual({ count: 0 });
  });

  it('removes the bytes of uploads that the runner dropped', async () => {
    const archive = await keep(1, 'one', 1_000, false);
    const feed = await createTestFeed(database.sql, { project });
    await feed.tell({
      type: 'archive',
      session: 'one',
      archive,
      state: 'failed',
      reason: 'the file is gone',
    });
    await apply();
    expect(await statesOf()).toEqual({ [archive]: 'failed' });
    const [left] = await database.sql`
      select count(*)::int as count from transcript_files f join transcripts t on t.id = f.transcript_id
      where t.archive = ${archive}`;
    expect(left).toEqual({ count: 0 });
  });
});

describe('retention preview', () => {
  it.each([
    [{ keepDays: 10 }, { byAge: 2 }],
    [{ keepPerSession: 1 }, { bySession: 3 }],
    [{ keepStoredBytes: 3_500 }, { byRoom: 2 }],
    [{ keepStoredBytes: 1 }, { byRoom: 4 }],
    [
      { keepDays: 10, keepPerSession: 1, keepStoredBytes: 1_500 },
      { byAge: 2, bySession: 1, byRoom: 1 },
    ],
    [{ keepDays: 100, keepPerSession: 9, keepStoredBytes: 1_000_000 }, {}],
  ])('predicts for %j exactly what is deleted later', async (retention, reasons) => {
    for (const [days, session] of [
      [30, 'one'],
      [20, 'one'],
      [3, 'one'],
      [2, 'two'],
      [1, 'one'],
    ] as const) {
      await keep(days, session);
    }
    await keep(0, 'one', 1_000, false);
    // An archive that was damaged at rest is kept, counted and deleted like any other.
    await database.sql`
      update transcripts set state = 'damaged' where id = (
        select t.id from transcripts t join projects p on p.id = t.project_id
        where p.name = ${project} and t.state = 'stored' order by t.at desc limit 1)`;
    const preview = await previewRetention(database.sql, project, retention);
    expect(preview?.kept).toMatchObject({ project, transcripts: 5, bytes: 5_000 });
    const none = { byAge: 0, bySession: 0, byRoom: 0 };
    expect(preview?.due).toMatchObject({ ...none, ...reasons });
    await set(retention);
    expect(await apply()).toHaveLength(preview?.due.transcripts ?? -1);
    expect((await previewRetention(database.sql, project, retention))?.due).toEqual({
      ...none,
      transcripts: 0,
      bytes: 0,
      oldestAt: null,
      newestAt: null,
    });
  });

  it('is null for an unknown project', async () => {
    expect(await previewRetention(database.sql, 'unknown', { keepDays: 1 })).toBeNull();
  });
});
