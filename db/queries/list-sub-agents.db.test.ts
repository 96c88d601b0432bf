import { beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../testing/test-database';
import { listSubAgents } from './list-sub-agents';
import { newestTurnAt } from './live-fleet';
import { createTestFeed, sessionOf, testTurn } from './testing-feed';

const start = Date.UTC(2026, 9, 1);
const at = (second: number) => start + second * 1_000;

const { sql } = await openTestDatabase();
beforeAll(async () => {
  const feed = await createTestFeed(sql, { source: 'transcript', now: () => at(20_000) });
  await feed.tell(
    { type: 'session_start', session: 'desk', at: at(0), lens: 'snapshot', limit: 200_000, backfill: true },
    testTurn('desk', 50_000, { at: at(1) }),
    testTurn('desk', 9_000, { at: at(2), chain: 'early' }),
    testTurn('desk', 12_000, { at: at(3), chain: 'early' }),
    testTurn('desk', 7_000, { at: at(50), chain: 'late' }),
    testTurn('desk', 60_000, { at: at(60) }),
    testTurn('desk', 8_000, { at: at(70), chain: 'late' }),
    { type: 'session_start', session: 'alone', at: at(0), lens: 'snapshot', backfill: true },
    testTurn('alone', 1_000, { at: at(1) }),
  );
});

async function list(key: string, parameters: Parameters<typeof listSubAgents>[2] = {}) {
  return listSubAgents(sql, await sessionOf(sql, key), parameters);
}

describe('sub-agents of a session', () => {
  it('are listed in order of their start, each with its points, without the main chain', async () => {
    const { agents, total, lens } = await list('desk');
    expect({ total, lens }).toEqual({ total: 2, lens: 'snapshot' });
    expect(
      agents.map(({ points, ...agent }) => ({ ...agent, used: points.map(({ used }) => used) })),
    ).toEqual([
      { chain: 'early', turnCount: 2, firstAt: at(2), lastAt: at(3), used: [9_000, 12_000] },
      { chain: 'late', turnCount: 2, firstAt: at(50), lastAt: at(70), used: [7_000, 8_000] },
    ]);
    expect((await list('alone')).agents).toEqual([]);
  });

  it('are the newest turn of a fleet without turns of a main chain', async () => {
    const project = 'agents only';
    const { tell } = await createTestFeed(sql, { project, source: 'transcript', now: () => at(30_000) });
    await tell(testTurn('sides', 9_000, { at: at(25_000), chain: 'only' }));
    expect(await newestTurnAt(sql)).toBe(new Date(at(25_000)).toISOString());
  });

  it('are limited to sub-agents active in the range, with their points in the range', async () => {
    const inRange = await list('desk', { from: at(20), to: at(60) });
    expect(inRange.agents.map(({ chain, points }) => [chain, points.length])).toEqual([['late', 1]]);
    expect(inRange.total).toBe(1);
    expect((await list('desk', { to: at(2) })).agents.map(({ chain }) => chain)).toEqual(['early']);
  });

  it('are limited to the last sub-agents, with the total', async () => {
    const { agents, total } = await list('desk', { limit: 1 });
    expect([agents.map(({ chain }) => chain), total]).toEqual([['late'], 2]);
  });
});
