import { expect, it } from 'vitest';
import { createRecentCounts } from './recent-counts';

const SECOND = 1_000;

/** Counts with as many restarts as there were reads; a read fails while `isAway`. */
function setUp() {
  const state = { reads: 0, isAway: false };
  const recent = createRecentCounts(async () => {
    state.reads += 1;
    if (state.isAway) throw new Error('the database is away');
    return { restarts: state.reads, compactions: 0, cacheReadShare: null };
  });
  return { state, at: async (seconds: number) => (await recent(seconds * SECOND)).restarts };
}

it('reads counts once for pages of the same time', async () => {
  const { at, state } = setUp();
  expect(await Promise.all([at(0), at(0.01)])).toEqual([1, 1]);
  expect(await at(9)).toBe(1);
  expect(state.reads).toBe(1);
});

it('shows older counts during the next read, for at most a minute', async () => {
  const { at } = setUp();
  await at(0);
  expect(await at(11), 'without waiting').toBe(1);
  await expect.poll(() => at(12)).toBe(2);
  expect(await at(120)).toBe(3);
});

it('reads again after a failure, which only waiting pages see', async () => {
  const { at, state } = setUp();
  state.isAway = true;
  await expect(at(0)).rejects.toThrow('away');
  state.isAway = false;
  expect(await at(1)).toBe(2);
  state.isAway = true;
  expect(await at(20)).toBe(2);
  await expect.poll(() => at(21)).toBe(2);
});
