import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { MADE_AT, makeBoundary, makeForecast, makeSession } from '../../format/testing/make-session';
import { countStates, filterSessions, hideOlder, surveySessions } from '../../sessions/filter-sessions';
import {
  isFiltered,
  NO_FILTER,
  readFleetQuery,
  type SortKey,
  writeFleetQuery,
} from '../../sessions/fleet-query';
import { sortSessions } from '../../sessions/sort-sessions';
import { explainNoCountdown, nextToGo } from './prepare-next';

const ago = (minutes: number) => new Date(MADE_AT - minutes * 60_000).toISOString();
const keys = (sessions: readonly Session[]) => sessions.map(({ key }) => Number(key.replace('session-', '')));
const order = (sessions: readonly Session[], sort: SortKey = 'boundary', reversed = false) =>
  keys(sortSessions(sessions, sort, reversed, MADE_AT));
const next = (...sessions: Session[]) => keys(nextToGo(sessions, MADE_AT).next);

describe('the default order', () => {
  const ended = makeSession(1, { liveness: 'ended', used: 190_000 });
  const untracked = makeSession(2, { state: 'untracked', pressure: 0, used: null });
  const idle = makeSession(3, { liveness: 'idle', nextBoundary: makeBoundary(1) });
  const unknown = makeSession(4, { used: null });
  const early = makeSession(5, { nextBoundary: makeBoundary(null) });
  const soon = makeSession(6, { nextBoundary: makeBoundary(2.9) });
  const later = makeSession(7, { nextBoundary: makeBoundary(30) });
  const passed = makeBoundary(null, { kind: 'limit', passed: true });
  const over = makeSession(8, { used: 206_000, nextBoundary: passed });
  const all = [ended, untracked, idle, unknown, early, later, soon, over];
  const silent = makeSession(30, {
    nextBoundary: makeBoundary(1),
    forecast: makeForecast(1),
    lastTurnAt: ago(5),
  });

  it('sorts over-limit sessions first, then by minutes; sessions without a countdown stay last if reversed', () => {
    expect(order(all)).toEqual([8, 6, 7, 5, 4, 3, 2, 1]);
    expect(order(all, 'boundary', true)).toEqual([7, 6, 8, 5, 4, 3, 2, 1]);
  });

  it('sorts idle over-limit sessions after live ones, and leaves them out of next to go', () => {
    const idleOver = makeSession(9, { liveness: 'idle', used: 210_000, nextBoundary: makeBoundary(null) });
    expect(order([idle, idleOver, soon, over])).toEqual([8, 9, 6, 3]);
    expect(next(idleOver, soon)).toEqual([6]);
    expect(next(over, later, soon, idle, early, unknown, ended)).toEqual([6, 7]);
  });

  it('breaks ties by id between sessions that show the same minutes', () => {
    const a = makeSession(10, { nextBoundary: makeBoundary(5.4, { turns: 12 }) });
    const b = makeSession(11, { nextBoundary: makeBoundary(4.6, { turns: 11.2 }) });
    expect(order([b, a])).toEqual([10, 11]);
  });

  it('sorts sessions past the limit by their exact pressure', () => {
    const used = [206_100, 206_900, 206_500];
    const three = used.map((tokens, index) => makeSession(index + 1, { used: tokens, nextBoundary: passed }));
    expect([order(three), order(three, 'pressure')]).toEqual([
      [2, 3, 1],
      [2, 3, 1],
    ]);
  });

  it('sorts the oldest compaction first; next to go shows one compaction, or more if places are free', () => {
    const compacting = [20, 21, 22, 23].map((number) =>
      makeSession(number, {
        nextBoundary: makeBoundary(1),
        compacting: { trigger: 'auto', at: new Date(MADE_AT - number * 1_000).toISOString() },
      }),
    );
    expect(order([soon, over, ...compacting])).toEqual([23, 22, 21, 20, 8, 6]);
    expect(next(...compacting, soon, later)).toEqual([23, 6, 7]);
    expect(next(...compacting, soon)).toEqual([23, 22, 6]);
    expect(nextToGo([...compacting, soon], MADE_AT).compacting).toBe(4);
    expect(next(soon, ...compacting.map((one) => ({ ...one, liveness: 'idle' as const })))).toEqual([6]);
  });

  it('puts silent sessions after active ones, in the list and in next to go', () => {
    const third = makeSession(31, { nextBoundary: makeBoundary(40) });
    expect(next(silent, soon, later)).toEqual([6, 7, 30]);
    expect(next(silent, soon, later, third)).toEqual([6, 7, 31]);
    expect(order([silent, soon, early, later, over])).toEqual([8, 6, 7, 30, 5]);
    expect(order([silent, soon, early, later, over], 'boundary', true)).toEqual([7, 6, 8, 30, 5]);
  });

  it('lists at most three next sessions', () => {
    expect(
      next(
        ...[9, 8, 7, 6, 5].map((minutes) => makeSession(minutes, { nextBoundary: makeBoundary(minutes) })),
      ),
    ).toEqual([5, 6, 7]);
  });
});

describe('sorting', () => {
  const low = makeSession(1, { used: 20_000, tokensPerMinute: 900, contextCount: 4, lastTurnAt: ago(4) });
  const high = makeSession(2, { used: 180_000, tokensPerMinute: 100, contextCount: 2, lastTurnAt: ago(64) });
  const none = makeSession(3, { used: null, tokensPerMinute: null, lastTurnAt: null });

  it.each([
    ['pressure', [2, 1, 3], [1, 2, 3]],
    ['burn', [1, 2, 3], [2, 1, 3]],
    ['last', [1, 2, 3], [2, 1, 3]],
    ['continuations', [1, 2, 3], [3, 2, 1]],
  ] as const)('by %s puts unknown values last, in both directions', (sort, natural, reversed) => {
    expect(order([none, low, high], sort)).toEqual(natural);
    expect(order([none, low, high], sort, true)).toEqual(reversed);
  });

  it('ignores the rate of an idle session and the pressure of an untracked session', () => {
    const resting = makeSession(1, { liveness: 'idle', tokensPerMinute: 5_000 });
    const slow = makeSession(2, { tokensPerMinute: 100, used: 10 });
    expect([order([resting, slow], 'burn'), order([resting, slow], 'burn', true)]).toEqual([
      [2, 1],
      [2, 1],
    ]);
    const untracked = makeSession(1, { state: 'untracked', pressure: 0, used: null });
    expect(order([untracked, slow], 'pressure')).toEqual([2, 1]);
  });
});

describe('filters', () => {
  const find = (sessions: Session[], part: Partial<typeof NO_FILTER>) =>
    keys(filterSessions(sessions, { ...NO_FILTER, ...part }));

  it('match words in names and ranges of pressure; a range to the end of the axis has no upper bound', () => {
    const all = [
      makeSession(1, { title: 'Work on bead spotter-dov', project: 'marot/spotter', used: 150_000 }),
      makeSession(2, { title: 'Review', used: 240_000, clientSessionIds: ['cd95adda-dd32'] }),
      makeSession(3, { state: 'untracked', pressure: 0, used: null }),
    ];
    expect(['SPOTTER bead', 'cd95adda', 'bead nothing'].map((text) => find(all, { text }))).toEqual([
      [1],
      [2],
      [],
    ]);
    expect(find(all, { range: { from: 70, to: 75 } })).toEqual([1]);
    expect(find(all, { range: { from: 76, to: 110 } })).toEqual([2]);
  });

  it('match and count sessions in trouble that have not ended', () => {
    const trouble = { kind: 'thrash', at: ago(4), context: 1, turn: 9, sentence: 'Full.' } as const;
    const all = [makeSession(1, { trouble }), makeSession(2, { trouble, liveness: 'ended' }), makeSession(3)];
    expect(find(all, { trouble: true })).toEqual([1]);
    expect(countStates(all).inTrouble).toBe(1);
  });

  it('count each state and liveness among the sessions that pass the other filters', () => {
    const fleet = [
      makeSession(1, { project: 'a', used: 150_000 }),
      makeSession(2, { project: 'a', used: 150_000, liveness: 'idle' }),
      makeSession(3, { project: 'a', used: 10_000 }),
      makeSession(4, { project: 'b', used: 150_000 }),
      makeSession(5, { project: 'a', used: 150_000, liveness: 'ended' }),
    ];
    const query = { ...NO_FILTER, project: 'a', states: ['warning' as const] };
    const { found, counts } = surveySessions(fleet, query);
    expect(keys(found)).toEqual([1, 2]);
    expect(counts.states).toMatchObject({ warning: 2, nominal: 1 });
    expect(counts.liveness).toEqual({ live: 1, idle: 1, ended: 1 });
  });
});

it('hides sessions idle for more than a day if other sessions are active and the viewer does not search', () => {
  const idle = (number: number, hours: number) =>
    makeSession(number, {
      liveness: 'idle',
      lastTurnAt: new Date(MADE_AT - hours * 3_600_000).toISOString(),
    });
  const fleet = [
    makeSession(1),
    idle(2, 23),
    idle(3, 25),
    makeSession(4, { liveness: 'ended' }),
    idle(5, 999),
  ];
  const hide = (sessions: Session[], query: Partial<typeof NO_FILTER> = {}) => {
    const byId = new Map(sessions.map((session) => [session.id, session]));
    const { shown, older } = hideOlder(byId, { ...NO_FILTER, ...query }, MADE_AT);
    return [keys([...shown.values()]), older];
  };
  expect(hide(fleet)).toEqual([[1, 2, 4], 2]);
  expect(hide(fleet, { older: true })).toEqual([[1, 2, 3, 4, 5], 2]);
  expect(hide(fleet, { text: 'session' })).toEqual([[1, 2, 3, 4, 5], 2]);
  expect(hide(fleet.slice(2))).toEqual([[3, 4, 5], 0]);
  expect(hide(fleet, { project: 'imported' })).toEqual([[1, 2, 3, 4, 5], 0]);
});

describe('the query in the address', () => {
  it('survives a round trip', () => {
    const query = {
      ...NO_FILTER,
      view: 'wall' as const,
      text: 'bead dov',
      states: ['warning' as const, 'critical' as const],
      liveness: ['live' as const],
      trouble: true,
      project: 'marot/spotter',
      range: { from: 60, to: 90 },
      sort: { by: 'pressure' as const, reversed: true },
    };
    const text =
      '?view=wall&q=bead+dov&state=warning,critical&liveness=live&trouble=yes&project=marot/spotter&pressure=60-90&sort=-pressure';
    expect(decodeURIComponent(writeFleetQuery(query))).toBe(text);
    expect(readFleetQuery(text)).toEqual(query);
  });

  it('is empty without filters, and ignores invalid values', () => {
    expect(writeFleetQuery(NO_FILTER)).toBe('');
    expect(readFleetQuery('?state=purple&pressure=90-60&sort=-age&liveness=&view=ceiling')).toEqual(
      NO_FILTER,
    );
    expect(isFiltered({ ...NO_FILTER, view: 'wall', sort: { by: 'burn', reversed: true } })).toBe(false);
  });
});

describe('a fleet without a countdown', () => {
  it('lists the reasons, the most frequent first', () => {
    const early = [1, 2, 3, 4].map((number) =>
      makeSession(number, { nextBoundary: makeBoundary(null), forecast: makeForecast(null) }),
    );
    const still = { ...makeForecast(null), certainty: 'still' as const };
    const { live, reasons } = explainNoCountdown([
      ...early,
      makeSession(5, { nextBoundary: makeBoundary(null, { left: 50_000 }), forecast: still }),
      makeSession(6, { used: 210_000, nextBoundary: makeBoundary(null, { kind: 'limit', passed: true }) }),
      makeSession(7, { used: null }),
      makeSession(8, { liveness: 'idle' }),
    ]);
    expect(live).toBe(7);
    expect(reasons).toEqual([
      { words: 'without a forecast yet', count: 4 },
      { words: 'not growing', count: 1 },
      { words: 'past the last boundary', count: 1 },
      { words: 'without a reading', count: 1 },
    ]);
  });

  it('finds the newest turn if no session is live', () => {
    const rests = [90, 40, 300].map((minutes, index) =>
      makeSession(index + 1, { liveness: 'idle', lastTurnAt: ago(minutes) }),
    );
    const { last, ...rest } = explainNoCountdown(rests);
    expect(rest).toEqual({ live: 0, near: 0, reasons: [] });
    expect(last).toMatchObject({ session: { key: 'session-2' }, at: MADE_AT - 40 * 60_000 });
    expect(explainNoCountdown([makeSession(1, { liveness: 'idle', lastTurnAt: null })]).last).toBeNull();
  });

  it('counts live sessions near their limit, from warning on', () => {
    const used = [90_000, 155_000, 175_000, 206_000].map((tokens, index) =>
      makeSession(index, { used: tokens }),
    );
    expect(explainNoCountdown([...used, makeSession(9, { used: 175_000, liveness: 'idle' })]).near).toBe(2);
  });
});
