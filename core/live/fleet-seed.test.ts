import { expect, it } from 'vitest';
import type { Session } from '../api/session';
import { makeFleetSeed, readFleetSeed } from './fleet-seed';
import { testSession } from './testing-rows';

it('returns the rows as a list shows them, with total and counts', () => {
  const rows = [testSession({ id: 'a' }), testSession({ id: 'b', trace: [] })];
  const first = { ...rows[0], coverage: [{ topic: 'input', seen: true, note: '' }] } as Session;
  const counts = { restarts: 1, compactions: 2, cacheReadShare: 0.5 };
  const view = readFleetSeed(makeFleetSeed([first, ...rows.slice(1)], { counts, total: 10_000, at: 7 }));
  expect([...view.sessions.values()]).toEqual(rows);
  expect(view).toMatchObject({ counts, total: 10_000, at: 7, epoch: null });
});
