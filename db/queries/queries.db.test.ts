import { describe, expect, it } from 'vitest';
import { SESSION_SORTS } from '../../core/api/parameters';
import { openTestDatabase } from '../testing/test-database';
import { listEvents } from './events';
import { listFilterChoices } from './list-filter-choices';
import { listSessions } from './list-sessions';
import { fleetCounts } from './live-fleet';
import { loadRecentSessions, loadSession } from './load-session';

const { sql } = await openTestDatabase();

const clock = { nowMs: Date.UTC(2026, 10, 20), idleAfterMs: 600_000 };

describe('empty database', () => {
  it.each(SESSION_SORTS)('returns an empty list sorted by %s', async (sort) => {
    const filters = {
      project: ['a'],
      runner: ['b'],
      model: ['c'],
      state: ['warning' as const],
      liveness: ['live' as const],
    };
    const list = await listSessions(sql, { sort, ...filters, clientSessionId: 'x', q: 'two words' }, clock);
    expect(list).toEqual({ sessions: [], total: 0, nextCursor: null });
    const everything = await listSessions(sql, { sort }, clock);
    expect(everything).toEqual({ sessions: [], total: 0, nextCursor: null });
  });

  it('returns no events and no filter choices, and counts zero restarts and compactions', async () => {
    expect(await listEvents(sql, { kind: ['restart'], project: ['p'], from: 0, to: 1 })).toEqual({
      events: [],
      nextCursor: null,
    });
    expect(await listFilterChoices(sql)).toEqual({ projects: [], runners: [], models: [] });
    expect(await fleetCounts(sql, clock.nowMs)).toEqual({
      restarts: 0,
      compactions: 0,
      cacheReadShare: null,
    });
    expect(await loadRecentSessions(sql, 10, clock)).toEqual([]);
  });

  it('finds no session for any id', async () => {
    expect(await loadSession(sql, '5f2d3f8e-0000-5000-8000-000000000000', clock)).toBeNull();
    expect(await loadSession(sql, "' or 1=1", clock)).toBeNull();
  });
});
