import { expect, it } from 'vitest';
import { makeFleetSeed, readFleetSeed } from './fleet-seed';
import { testSession } from './testing-rows';

it('A seed holds the rows as they were, how many there are in all, and what was counted', () => {
  const rows = [testSession({ id: 'a' }), testSession({ id: 'b', trace: [] })];
  const counts = { restarts: 1, compactions: 2, cacheReadShare: 0.5 };
  const view = readFleetSeed(makeFleetSeed(rows, { counts, total: 10_000, at: 7 }));
  expect([...view.sessions.values()]).toEqual(rows);
  expect(view).toMatchObject({ counts, total: 10_000, at: 7, epoch: null });
});
