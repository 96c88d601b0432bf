import { beforeAll, describe, expect, it } from 'vitest';
import { PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { openTestDatabase } from '../testing/test-database';
import { loadSeries } from './load-series';
import { findPosition } from './series/chain-places';
import { createTestFeed, type FeedItem, sessionOf, testTurn } from './testing-feed';

const start = Date.UTC(2026, 9, 1);
const at = (second: number) => start + second * 1_000;
const LONG_TURNS = 2_500;
/** Turns per context of the long session. */
const CONTEXT_TURNS = 500;

const { sql } = await openTestDatabase();
beforeAll(async () => {
  const feed = await createTestFeed(sql, { source: 'transcript', now: () => at(20_000) });
  await feed.tell(
    { type: 'session_start', session: 'short', at: at(0), lens: 'snapshot', limit: 200_000, backfill: true },
    testTurn('short', 50_000, { at: at(1), usage: { input: 100, output: 200, cacheRead: 49_000 } }),
    { type: 'turn', session: 'short', at: at(2), scope: 'side', usage: { input: 9, output: 1 } },
    testTurn('short', 80_000, { at: at(3), usage: { input: 10, output: 20, cacheRead: 79_000 } }),
    { type: 'reading', session: 'short', at: at(4), contextTokens: 81_000 },
    testTurn('short', 3_000, { at: at(5), chain: 'helper' }),
    { type: 'compaction', session: 'short', at: at(6), trigger: 'auto', state: 'confirmed' },
    { type: 'turn', session: 'short', at: at(7), usage: { input: 5, output: 5 } },
    testTurn('short', 30_000, { at: at(8), usage: { input: 1, output: 2, cacheRead: 29_000 } }),
  );
  const items: FeedItem[] = [
    { type: 'session_start', session: 'long', at: at(0), lens: 'snapshot', limit: 200_000, backfill: true },
  ];
  for (let n = 1; n <= LONG_TURNS; n += 1) {
    items.push(testTurn('long', readingOf(n), { at: at(n), usage: { input: 1, output: 2, cacheRead: n } }));
    if (n % CONTEXT_TURNS === 0) {
      items.push({ type: 'compaction', session: 'long', at: at(n), trigger: 'auto', state: 'confirmed' });
    }
    if (n % 10 === 0)
      items.push(testTurn('long', n, { at: at(n), chain: 'helper', usage: { input: 3, output: 4 } }));
  }
  await feed.tell(...items);
});

/** One spike that thinning must keep. */
function readingOf(n: number): number {
  return n === 1_345 ? 199_999 : 20_000 + (n % CONTEXT_TURNS) * 100;
}

async function load(key: string, parameters: Parameters<typeof loadSeries>[2] = {}) {
  return loadSeries(sql, await sessionOf(sql, key), parameters);
}
const used = (series: Awaited<ReturnType<typeof load>>) => series.points.map((point) => point.used);

describe('series of a short session', () => {
  it('has a snapshot point per turn and reading, with unknown values from a boundary to the next reading', async () => {
    const series = await load('short');
    expect(series).toMatchObject({ lens: 'snapshot', chain: 'main', turnCount: 5, thinned: false });
    expect(used(series)).toEqual([50_000, 50_000, 80_000, 81_000, null, 30_000]);
    expect(series.points.map((point) => [point.n, point.turns, point.context])).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [3, 1, 0],
      [3, 0, 0],
      [4, 1, 1],
      [5, 1, 1],
    ]);
  });

  it('computes the other lenses from the same turns', async () => {
    expect(used(await load('short', { lens: 'cumulative' }))).toEqual([300, 300, 330, 330, 10, 13]);
    expect(used(await load('short', { lens: 'last-turn' }))).toEqual([300, 300, 30, 30, 10, 3]);
    expect(used(await load('short', { lens: 'cache-inflated' }))).toEqual([
      49_300, 49_300, 79_030, 79_030, 10, 29_003,
    ]);
  });

  it('sums the cache across boundaries and side calls, even if a range starts later', async () => {
    const totals = async (from?: number) =>
      (await load('short', from === undefined ? {} : { from })).points.map((point) => point.totalCacheRead);
    expect(await totals()).toEqual([49_000, 49_000, 128_000, 128_000, 128_000, 157_000]);
    expect(await totals(at(4))).toEqual([128_000, 128_000, 157_000]);
  });

  it('reads a sub-agent separately, and refuses an unknown chain', async () => {
    expect(used(await load('short', { chain: 'helper' }))).toEqual([3_000]);
    await expect(load('short', { chain: 'unknown' })).rejects.toThrow('names no chain of this session');
  });

  it('cuts a range by time, both ends included, and starts with the current reading before it', async () => {
    const middle = await load('short', { from: at(2), to: at(3) });
    expect(used(middle)).toEqual([50_000, 80_000]);
    expect(middle).toMatchObject({ turnCount: 2, from: at(2), to: at(3) });
    expect(used(await load('short', { from: at(9) }))).toEqual([]);
    expect(used(await load('short', { to: at(0) }))).toEqual([]);
  });
});

describe('series of a long session', () => {
  it('comes from the pyramid, has at most the requested points, and covers every turn', async () => {
    expect(LONG_TURNS).toBeGreaterThan(PYRAMID_MIN_TURNS);
    for (const lens of ['snapshot', 'cumulative'] as const) {
      const series = await load('long', { lens });
      expect(series).toMatchObject({ turnCount: LONG_TURNS, thinned: true });
      expect(series.points.length).toBeLessThanOrEqual(300);
      expect(series.points.length).toBeGreaterThan(100);
      expect(series.points.reduce((sum, point) => sum + point.turns, 0)).toBe(LONG_TURNS);
      expect(series.points.reduce((sum, point) => sum + point.cacheRead, 0)).toBe(
        (LONG_TURNS * (LONG_TURNS + 1)) / 2,
      );
      expect(series.points.at(-1)).toMatchObject({ n: LONG_TURNS, t: at(LONG_TURNS) });
    }
  });

  it('keeps the spike, and the last value of each bucket', async () => {
    const { points } = await load('long');
    expect(Math.max(...points.map((point) => point.max ?? 0))).toBe(199_999);
    for (const point of points) expect(point.used).toBe(readingOf(point.n));
    const cumulative = await load('long', { lens: 'cumulative' });
    for (const point of cumulative.points) expect(point.used).toBe((((point.n - 1) % CONTEXT_TURNS) + 1) * 3);
  });

  it('includes the cache totals up to each point, whatever the start of the range', async () => {
    const upTo = (n: number) => (n * (n + 1)) / 2;
    for (const from of [undefined, at(17), at(18), at(1_040), at(2_140), at(2_499)]) {
      for (const lens of ['snapshot', 'cumulative'] as const) {
        const { points } = await load('long', { lens, ...(from === undefined ? {} : { from }) });
        expect(points.length).toBeGreaterThan(0);
        for (const { n, totalCacheRead } of points) expect(totalCacheRead).toBe(upTo(n));
      }
    }
  });

  it('leaves unknown values of a sample null', async () => {
    const { points } = await load('long', { lens: 'cache-inflated' });
    expect(points.at(-1)).toMatchObject({ totalCacheRead: null, totalCacheCreation: null });
  });

  it('reads a short range turn by turn', async () => {
    const series = await load('long', { from: at(2_140), to: at(2_150) });
    expect(series).toMatchObject({ turnCount: 11, thinned: false });
    expect(used(series)).toEqual(Array.from({ length: 11 }, (_, i) => readingOf(2_140 + i)));
  });

  it('samples real turns for lenses without a pyramid', async () => {
    const series = await load('long', { lens: 'cache-inflated' });
    expect(series.points.length).toBeGreaterThan(200);
    expect(series.points.length).toBeLessThanOrEqual(300);
    for (const point of series.points) expect(point.used).toBe(3 + point.n);
    expect(series.points.at(-1)?.n).toBe(LONG_TURNS);
  });

  it('finds the same position as a scan', async () => {
    const { id } = await sessionOf(sql, 'long');
    for (const chain of [0, 1]) {
      const key = { sessionId: id, chain };
      for (const second of [0, 1, 9, 10, 11, 999, 1_000, 1_001, 2_321, 2_499, 2_500, 2_501]) {
        const [scanned] = await sql<{ position: number }[]>`
          select position from turns
          where session_id = ${key.sessionId} and chain = ${chain}
            and chart_time >= ${new Date(at(second))}
          order by position limit 1`;
        const found = await findPosition(sql, key, at(second));
        expect(found?.position).toBe(scanned?.position);
        if (found)
          expect(found.turnsBefore).toBe(
            chain === 0 ? Math.max(0, second - 1) : Math.max(0, Math.ceil(second / 10) - 1),
          );
      }
    }
  });
});
