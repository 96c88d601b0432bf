/** Events about archives, which the store adds to their session. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import { continueRecomputing } from '../ingest/refold';
import { listEvents, listSessionEvents } from '../queries/events';
import { findSession } from '../queries/find-session';
import { loadSession } from '../queries/load-session';
import { createTestFeed, type TestFeed, testTurn } from '../queries/testing-feed';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { transact } from '../transact';
import { lockProject } from './change-transcript';
import { healDamaged } from './complete-archive';
import { failUpload } from './end-transcript';
import { removeDamagedChunk } from './mark-damaged';
import { offerArchive } from './offer-archive';
import { handOver, offerOf } from './transcripts-testing';

const NOON = Date.UTC(2026, 2, 1, 12);

let database: TestDatabase;
let project: string;
let feed: TestFeed;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  project = randomUUID();
  feed = await createTestFeed(database.sql, { project, now: () => NOON + 10_000 });
  await feed.tell(
    { type: 'session_start', session: 's', at: NOON },
    testTurn('s', 1_000, { at: NOON + 1_000, call: 'a' }),
    { type: 'compaction', session: 's', at: NOON + 5_000, trigger: 'auto', state: 'confirmed' },
  );
});

async function eventsOf() {
  const [row] = await database.sql<{ id: string }[]>`
    select s.public_id as id from sessions s join projects p on p.id = s.project_id where p.name = ${project}`;
  const session = await findSession(database.sql, row?.id ?? '');
  if (session === null) throw new Error('the session is known');
  const { events } = await listSessionEvents(database.sql, session, { order: 'asc' });
  return events.filter(({ kind }) => kind.startsWith('archive_'));
}

/** Remove a chunk as a failed read does. */
async function spoil(chunk: string): Promise<void> {
  const [row] = await database.sql<{ id: number }[]>`select id from projects where name = ${project}`;
  const projectId = row?.id ?? 0;
  await transact(database.sql, async (tx) => {
    await lockProject(tx, projectId);
    await tx`delete from transcript_chunks where project_id = ${projectId} and sha256 = decode(${chunk}, 'hex')`;
    await removeDamagedChunk(tx, projectId, chunk);
  });
}

it('records damage and repair once each', async () => {
  const file = randomBytes(2_000);
  const { offer } = await handOver(database.sql, file, { project, session: 's' });
  const chunk = offer.chunks[0] ?? '';
  await spoil(chunk);
  await spoil(chunk);
  const [damaged, ...others] = await eventsOf();
  expect(others).toEqual([]);
  expect(damaged).toMatchObject({
    kind: 'archive_damaged',
    chain: 'main',
    detail: {
      archive: offer.archive,
      trigger: 'auto',
      reason: '1 of its 1 chunk changed on disk; the next upload of the same bytes repairs it',
    },
  });

  await handOver(database.sql, file, { project, session: 's', archive: randomUUID() });
  expect(await healDamaged(database.sql)).toBe(1);
  expect((await eventsOf()).map(({ kind }) => kind)).toEqual(['archive_damaged', 'archive_healed']);
});

async function waitingInserts(): Promise<number> {
  const rows = await database.sql`select from pg_stat_activity where wait_event = 'transactionid'
    and datname = current_database() and query like '%insert into transcripts%'`;
  return rows.length;
}

it('accepts an offer while the notice of the same archive is being committed', async () => {
  const offer = offerOf(randomBytes(100), { project, session: 'not known yet' });
  let offered: Promise<unknown> = Promise.resolve();
  await transact(database.sql, async (tx) => {
    await tx`
      insert into transcripts (project_id, session, session_key, archive, state, version, at)
      select p.id, ${sessionId(project, offer.session)}, ${offer.session}, ${offer.archive}, 'announced', 'hook', now()
      from projects p where p.name = ${project}`;
    offered = offerArchive(database.sql, offer);
    // The offer waits for the lock of the row.
    await expect.poll(() => waitingInserts()).toBe(1);
  });
  expect(await offered).toMatchObject({ archive: offer.archive, state: 'uploading' });
});

it('records a failed upload only if no runner reports it', async () => {
  const fail = async (addsEvent: boolean) => {
    const offer = offerOf(randomBytes(100), { project, session: 's' });
    await offerArchive(database.sql, offer);
    const [row] = await database.sql<{ id: number }[]>`
      select id from transcripts where archive = ${offer.archive}`;
    await failUpload(database.sql, row?.id ?? 0, 'it was not ended', addsEvent);
  };
  await fail(false);
  expect(await eventsOf()).toEqual([]);
  await fail(true);
  expect(await eventsOf()).toMatchObject([
    { kind: 'archive_failed', detail: { reason: 'it was not ended' } },
  ]);
});

it('marks the session after a failed upload until a later archive is stored', async () => {
  const failure = async () => {
    const sessions = await database.sql<{ id: string }[]>`
      select s.public_id as id from sessions s join projects p on p.id = s.project_id where p.name = ${project}`;
    const clock = { nowMs: NOON + 20_000, idleAfterMs: 600_000 };
    const loaded = await loadSession(database.sql, sessions[0]?.id ?? '', clock);
    return loaded?.session.archiveFailure;
  };
  const at = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();
  expect(await failure()).toBeNull();
  const offer = offerOf(randomBytes(100), { project, session: 's', at: at(1) });
  await offerArchive(database.sql, offer);
  const [row] = await database.sql<{ id: number }[]>`
    select id from transcripts where archive = ${offer.archive}`;
  await failUpload(database.sql, row?.id ?? 0, 'it was not ended', true);
  expect(await failure()).toMatchObject({ reason: 'it was not ended' });
  await handOver(database.sql, randomBytes(2_000), { project, session: 's', at: at(0) });
  expect(await failure()).toMatchObject({ reason: 'it was not ended' });
  await handOver(database.sql, randomBytes(3_000), { project, session: 's', at: at(2) });
  expect(await failure()).toBeNull();
});

it('places the event after the session’s reports, and keeps it when the session is recomputed', async () => {
  await feed.tell({ ...testTurn('s', 1_200, { at: NOON + 9_000, call: 'c' }), seq: 5 });
  const { offer } = await handOver(database.sql, randomBytes(3_000), { project, session: 's' });
  await spoil(offer.chunks[0] ?? '');
  const [before] = await eventsOf();
  // A late item, so that everything after it is recomputed.
  await feed.tell({ ...testTurn('s', 1_100, { at: NOON + 8_000, call: 'b' }), seq: 4 });
  await continueRecomputing(database.sql);
  await feed.tell({ ...testTurn('s', 1_300, { at: NOON + 9_500, call: 'd' }), seq: 6 });
  expect(await eventsOf()).toEqual([before]);
  const { events } = await listEvents(database.sql, { project: [project], limit: 1 });
  expect(events).toEqual([before]);
});

it('changes only the row while the session is unknown', async () => {
  const { offer } = await handOver(database.sql, randomBytes(1_000), { project, session: 'unknown' });
  await spoil(offer.chunks[0] ?? '');
  const [row] = await database.sql`select state from transcripts where archive = ${offer.archive}`;
  expect(row?.state).toBe('damaged');
  expect(await eventsOf()).toEqual([]);
});
