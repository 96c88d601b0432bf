import { expect, it } from 'vitest';
import { sessionId } from '../../core/identity/session-id';
import { deleteSession } from '../delete-session';
import { openTestDatabase } from '../testing/test-database';
import { loadEvidence } from './load-evidence';
import { loadSession } from './load-session';
import { createTestFeed, testTurn } from './testing-feed';

const now = Date.now();
const clock = { nowMs: now, idleAfterMs: 600_000 };
const { sql } = await openTestDatabase();

const id = (session: string) => sessionId('atlas', session);
const load = async (session: string) => (await loadSession(sql, id(session), clock))?.session;
const compactsAt = async (session: string) => (await load(session))?.compactsAt;

it('learns a client’s compaction point from other sessions of its version and window', async () => {
  const feed = await createTestFeed(sql, { source: 'transcript', now: () => now });
  const tell = async (session: string, sizes: readonly number[], clientVersion = '2.1.330') => {
    const at = (index: number) => now - (60 - index) * 60_000;
    await feed.tell(
      {
        type: 'session_start',
        session,
        at: at(0),
        lens: 'snapshot',
        limit: 200_000,
        client: 'claude-code',
        clientVersion,
      },
      ...sizes.map((size, index) =>
        testTurn(session, size, { at: at(index + 1), call: `${session}-${index}` }),
      ),
    );
  };
  await tell('new', [30_000]);
  expect(await compactsAt('new')).toBe(167_000);
  await tell('passed', [160_000, 175_000, 188_000]);
  await tell('other version', [30_000], '2.1.200');
  expect(await compactsAt('new')).toBeNull();
  expect(await compactsAt('other version')).toBe(167_000);
  expect((await loadEvidence(sql, id('new'), clock))?.compaction).toBeNull();

  // Lists are sorted by the row's own countdown.
  await tell('sorted', [30_000, 32_000, 34_000, 36_000, 38_000]);
  await feed.tell(testTurn('sorted', 40_000, { at: now, call: 'last' }));
  const next = (await load('sorted'))?.nextBoundary;
  expect(next).toMatchObject({ kind: 'limit', at: 200_000 });
  const [row] = await sql`select minutes_left from sessions where public_id = ${id('sorted')}`;
  expect(row?.minutes_left).toBe(next?.minutes);

  await feed.tell({
    type: 'compaction',
    session: 'passed',
    at: now - 50 * 60_000,
    trigger: 'auto',
    state: 'confirmed',
    boundary: 'b',
    preTokens: 193_000,
  });
  expect(await load('new')).toMatchObject({ compactsAt: 193_000, compactionPassed: null });
  await deleteSession(sql, id('passed'));
  expect(await compactsAt('new')).toBe(167_000);
});
