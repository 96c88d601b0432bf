import { describe, expect, it } from 'vitest';
import { isPastBoundaries } from '@/core/accounting/boundary-order';
import { MADE_AT, makeBoundary, makeForecast, makeSession } from '../../format/testing/make-session';
import { countStates } from '../../sessions/count-sessions';
import { filterSessions, surveySessions } from '../../sessions/filter-sessions';
import { isFiltered, NO_FILTER, readFleetQuery, writeFleetQuery } from '../../sessions/fleet-query';
import { sortSessions } from '../../sessions/sort-sessions';
import { boundaryText, turnsLeft } from './boundary-text';
import { nextToGo } from './prepare-next';

const NBSP = '\u00a0';
const keys = (sessions: { key: string }[]) => sessions.map(({ key }) => Number(key.replace('session-', '')));

describe('the default order', () => {
  const ended = makeSession(1, { liveness: 'ended', used: 190_000 });
  const untracked = makeSession(2, { state: 'untracked', pressure: 0, used: null });
  const idle = makeSession(3, { liveness: 'idle', nextBoundary: makeBoundary(1) });
  const unknown = makeSession(4, { used: null });
  const early = makeSession(5, { nextBoundary: makeBoundary(null) });
  const soon = makeSession(6, { nextBoundary: makeBoundary(2.9) });
  const later = makeSession(7, { nextBoundary: makeBoundary(30) });
  const over = makeSession(8, {
    used: 206_000,
    nextBoundary: makeBoundary(null, { kind: 'limit', passed: true }),
  });

  it('is over limit, by minutes, too early, unknown, idle, not tracked, ended', () => {
    const all = [ended, untracked, idle, unknown, early, later, soon, over];
    expect(keys(sortSessions(all, 'boundary', false, MADE_AT))).toEqual([8, 6, 7, 5, 4, 3, 2, 1]);
  });

  it('has an idle session over its limit right after those at work, not among the resting ones', () => {
    const idleOver = makeSession(9, { liveness: 'idle', used: 210_000, nextBoundary: makeBoundary(null) });
    expect(keys(sortSessions([idle, idleOver, soon, over], 'boundary', false, MADE_AT))).toEqual([
      8, 9, 6, 3,
    ]);
    expect(keys(nextToGo([idleOver, soon], MADE_AT).next)).toEqual([6]);
  });

  it('turns only what counts down the other way round: what is not known stays last', () => {
    const all = [ended, untracked, idle, unknown, early, later, soon, over];
    expect(keys(sortSessions(all, 'boundary', true, MADE_AT))).toEqual([7, 6, 8, 5, 4, 3, 2, 1]);
  });

  it('does not let two sessions that read the same change places with every turn', () => {
    const a = makeSession(10, { nextBoundary: makeBoundary(5.4, { turns: 12 }) });
    const b = makeSession(11, { nextBoundary: makeBoundary(4.6, { turns: 11.2 }) });
    expect(keys(sortSessions([b, a], 'boundary', false, MADE_AT))).toEqual([10, 11]);
  });

  it('has a session past its last boundary first, but never among those that go next', () => {
    expect(isPastBoundaries(over)).toBe(true);
    expect(keys(nextToGo([over, later, soon, idle, early, unknown, ended], MADE_AT).next)).toEqual([6, 7]);
  });

  it('begins with who is compacted at this moment, whatever its countdown said', () => {
    const announced = makeSession(12, {
      used: 150_000,
      nextBoundary: makeBoundary(4),
      compacting: { trigger: 'auto', at: new Date(MADE_AT - 20_000).toISOString() },
    });
    expect(keys(sortSessions([soon, over, announced], 'boundary', false, MADE_AT))).toEqual([12, 8, 6]);
    expect(nextToGo([soon, later, announced], MADE_AT)).toMatchObject({ compacting: 1 });
    expect(keys(nextToGo([soon, later, announced], MADE_AT).next)).toEqual([12, 6, 7]);
    expect(boundaryText(announced, MADE_AT)).toMatchObject({ lead: 'compacting now', more: '' });
    const gone = { ...announced, liveness: 'idle' as const };
    expect(keys(nextToGo([soon, gone], MADE_AT).next)).toEqual([6]);
  });

  it('leaves two of three places to those that can still be looked after, where many are compacted', () => {
    const compacted = [20, 21, 22, 23].map((number) =>
      makeSession(number, {
        nextBoundary: makeBoundary(1),
        compacting: { trigger: 'auto', at: new Date(MADE_AT - number * 1_000).toISOString() },
      }),
    );
    const { next, compacting } = nextToGo([...compacted, soon, later], MADE_AT);
    expect(keys(next), 'who waits longest').toEqual([23, 6, 7]);
    expect(compacting).toBe(4);
    expect(keys(nextToGo([...compacted, soon], MADE_AT).next)).toEqual([23, 22, 6]);
  });

  it('is exact past the limit, where the row says by how many tokens', () => {
    const passed = (number: number, used: number) =>
      makeSession(number, { used, nextBoundary: makeBoundary(null, { kind: 'limit', passed: true }) });
    const all = [passed(1, 206_100), passed(2, 206_900), passed(3, 206_500)];
    expect(keys(sortSessions(all, 'boundary', false, MADE_AT))).toEqual([2, 3, 1]);
    expect(keys(sortSessions(all, 'pressure', false, MADE_AT))).toEqual([2, 3, 1]);
  });

  it('has who says nothing after those at work, whatever is left to it', () => {
    const silent = makeSession(30, {
      nextBoundary: makeBoundary(1),
      forecast: makeForecast(1),
      lastTurnAt: new Date(MADE_AT - 5 * 60_000).toISOString(),
    });
    expect(keys(nextToGo([silent, soon, later], MADE_AT).next)).toEqual([6, 7, 30]);
    const third = makeSession(31, { nextBoundary: makeBoundary(40) });
    expect(keys(nextToGo([silent, soon, later, third], MADE_AT).next)).toEqual([6, 7, 31]);
  });

  it('holds the same in the list, so that its ranks stand in the order of its rows', () => {
    const silent = makeSession(30, {
      nextBoundary: makeBoundary(1),
      forecast: makeForecast(1),
      lastTurnAt: new Date(MADE_AT - 5 * 60_000).toISOString(),
    });
    const all = [silent, soon, early, later, over];
    expect(keys(sortSessions(all, 'boundary', false, MADE_AT))).toEqual([8, 6, 7, 30, 5]);
    expect(keys(sortSessions(all, 'boundary', true, MADE_AT)), 'and the other way round').toEqual([
      7, 6, 8, 30, 5,
    ]);
    expect(keys(sortSessions(all, 'pressure', false, MADE_AT))[0]).toBe(8);
  });

  it('names at most three that go next', () => {
    const many = [9, 8, 7, 6, 5].map((minutes) =>
      makeSession(minutes, { nextBoundary: makeBoundary(minutes) }),
    );
    expect(keys(nextToGo(many, MADE_AT).next)).toEqual([5, 6, 7]);
  });
});

describe('other orders', () => {
  it('put the highest pressure, burn and number of contexts first, and what is not known last', () => {
    const low = makeSession(1, { used: 20_000, tokensPerMinute: 900, contextCount: 4 });
    const high = makeSession(2, { used: 180_000, tokensPerMinute: 100, contextCount: 2 });
    const none = makeSession(3, { used: null, tokensPerMinute: null, contextCount: 1 });
    expect(keys(sortSessions([none, low, high], 'pressure', false, MADE_AT))).toEqual([2, 1, 3]);
    expect(keys(sortSessions([none, low, high], 'burn', false, MADE_AT))).toEqual([1, 2, 3]);
    expect(keys(sortSessions([none, high, low], 'continuations', false, MADE_AT))).toEqual([1, 2, 3]);
    expect(keys(sortSessions([none, low, high], 'continuations', true, MADE_AT))).toEqual([3, 2, 1]);
  });

  it('put what is not known last the other way round as well', () => {
    const low = makeSession(1, { used: 20_000, tokensPerMinute: 900, lastTurnAt: '2026-01-23T18:00:00Z' });
    const high = makeSession(2, { used: 180_000, tokensPerMinute: 100, lastTurnAt: '2026-01-23T17:00:00Z' });
    const none = makeSession(3, { used: null, tokensPerMinute: null, lastTurnAt: null });
    expect(keys(sortSessions([none, low, high], 'pressure', true, MADE_AT))).toEqual([1, 2, 3]);
    expect(keys(sortSessions([none, low, high], 'burn', true, MADE_AT))).toEqual([2, 1, 3]);
    expect(keys(sortSessions([none, low, high], 'last', true, MADE_AT))).toEqual([2, 1, 3]);
    expect(keys(sortSessions([none, low, high], 'last', false, MADE_AT))).toEqual([1, 2, 3]);
  });

  it('do not sort by a rate that is not shown: one that rests burns nothing', () => {
    const resting = makeSession(1, { liveness: 'idle', tokensPerMinute: 5_000 });
    const slow = makeSession(2, { tokensPerMinute: 100 });
    expect(keys(sortSessions([resting, slow], 'burn', false, MADE_AT))).toEqual([2, 1]);
    expect(keys(sortSessions([resting, slow], 'burn', true, MADE_AT))).toEqual([2, 1]);
  });

  it('never sort an untracked session as a healthy 0 %', () => {
    const untracked = makeSession(1, { state: 'untracked', pressure: 0, used: null });
    const small = makeSession(2, { used: 10 });
    expect(keys(sortSessions([untracked, small], 'pressure', false, MADE_AT))).toEqual([2, 1]);
  });
});

describe('filters', () => {
  const bead = makeSession(1, { title: 'Work on bead spotter-dov', project: 'marot/spotter', used: 150_000 });
  const fork = makeSession(2, { title: 'Review', used: 240_000, clientSessionIds: ['cd95adda-dd32'] });
  const blind = makeSession(3, { state: 'untracked', pressure: 0, used: null });
  const all = [bead, fork, blind];
  const find = (part: Partial<typeof NO_FILTER>) => keys(filterSessions(all, { ...NO_FILTER, ...part }));

  it('find every word anywhere in what names a session', () => {
    expect(find({ text: 'SPOTTER bead' })).toEqual([1]);
    expect(find({ text: 'cd95adda' })).toEqual([2]);
    expect(find({ text: 'bead nothing' })).toEqual([]);
  });

  it('take a brushed range with both bounds, and everything above when it ends with the axis', () => {
    expect(find({ range: { from: 70, to: 75 } })).toEqual([1]);
    expect(find({ range: { from: 76, to: 110 } })).toEqual([2]);
  });

  it('find what is in trouble, but not what was when it ended', () => {
    const trouble = {
      kind: 'thrash',
      at: '2026-01-23T18:00:00Z',
      context: 1,
      turn: 9,
      sentence: 'Full.',
    } as const;
    const troubled = [
      makeSession(1, { trouble }),
      makeSession(2, { trouble, liveness: 'ended' }),
      makeSession(3),
    ];
    expect(keys(filterSessions(troubled, { ...NO_FILTER, trouble: true }))).toEqual([1]);
    expect(countStates(troubled).inTrouble).toBe(1);
  });

  it('count what the other filters leave of each state and liveness, so that a press shows as many', () => {
    const fleet = [
      makeSession(1, { project: 'a', used: 150_000 }),
      makeSession(2, { project: 'a', used: 150_000, liveness: 'idle' }),
      makeSession(3, { project: 'a', used: 10_000 }),
      makeSession(4, { project: 'b', used: 150_000 }),
      makeSession(5, { project: 'a', used: 150_000, liveness: 'ended' }),
    ];
    const survey = (part: Partial<typeof NO_FILTER>) => surveySessions(fleet, { ...NO_FILTER, ...part });
    expect(survey({}).counts).toEqual(countStates(fleet));
    const narrowed = survey({ project: 'a', liveness: ['live'], states: ['nominal'] });
    expect(narrowed.counts.states).toMatchObject({ warning: 1, nominal: 1 });
    expect(narrowed.counts.liveness).toEqual({ live: 1, idle: 0, ended: 0 });
    for (const state of ['warning', 'nominal'] as const) {
      const { counts } = survey({ project: 'a' });
      expect(survey({ project: 'a', states: [state] }).found).toHaveLength(counts.states[state]);
    }
    expect(survey({ states: ['warning'], liveness: ['ended'] }).counts.states.warning).toBe(1);
    expect(keys(survey({ states: ['warning'], liveness: ['ended'] }).found)).toEqual([5]);
  });

  it('leave a session without a reading out of any range', () => {
    expect(find({ range: { from: 0, to: 50 } })).toEqual([]);
    expect(find({ states: ['untracked'] })).toEqual([3]);
  });
});

describe('the query in the URL', () => {
  it('survives the way there and back', () => {
    const text =
      '?q=bead+dov&state=warning,critical&liveness=live&trouble=yes&project=marot%2Fspotter&pressure=60-90&sort=-pressure';
    const query = readFleetQuery(new URLSearchParams(text));
    expect(query).toEqual({
      ...NO_FILTER,
      text: 'bead dov',
      states: ['warning', 'critical'],
      liveness: ['live'],
      trouble: true,
      project: 'marot/spotter',
      range: { from: 60, to: 90 },
      sort: { by: 'pressure', reversed: true },
    });
    expect(readFleetQuery(new URLSearchParams(writeFleetQuery(query)))).toEqual(query);
  });

  it('is empty for the fleet as it opens, and leaves out what makes no sense', () => {
    expect(writeFleetQuery(NO_FILTER)).toBe('');
    const odd = readFleetQuery(new URLSearchParams('?state=purple&pressure=90-60&sort=-age&liveness='));
    expect(odd).toEqual(NO_FILTER);
    expect(isFiltered({ ...NO_FILTER, view: 'wall' })).toBe(false);
    expect(readFleetQuery(new URLSearchParams(writeFleetQuery({ ...NO_FILTER, view: 'wall' }))).view).toBe(
      'wall',
    );
    expect(readFleetQuery(new URLSearchParams('?view=ceiling')).view).toBe('list');
    expect(isFiltered({ ...NO_FILTER, sort: { by: 'burn', reversed: true } })).toBe(false);
  });
});

describe('counts', () => {
  it('count states of live and idle sessions only', () => {
    const counts = countStates([
      makeSession(1),
      makeSession(2, { liveness: 'idle' }),
      makeSession(3, { liveness: 'ended', used: 190_000 }),
    ]);
    expect(counts.liveness).toEqual({ live: 1, idle: 1, ended: 1 });
    expect(counts.states.elevated).toBe(2);
    expect(counts.states.critical).toBe(0);
  });
});

describe('what a row says of its next boundary', () => {
  it('counts minutes down and turns up to the one that crosses', () => {
    const text = boundaryText(makeSession(1, { nextBoundary: makeBoundary(18.7, { turns: 15.2 }) }), MADE_AT);
    expect(text).toMatchObject({
      lead: `19${NBSP}min`,
      more: '16 turns',
      what: `Claude Code compacts 167${NBSP}k`,
      short: `compacts 167${NBSP}k`,
    });
    expect(turnsLeft(0.1)).toBe(1);
  });

  it('names the range on hover, and why nothing is counted down', () => {
    const session = makeSession(1, { nextBoundary: makeBoundary(18), forecast: makeForecast(18) });
    expect(boundaryText(session, MADE_AT).exact).toContain(`About 36 turns (18–72), 9–36${NBSP}min of work`);
    const quiet = { nextBoundary: makeBoundary(null), forecast: makeForecast(null) };
    expect(boundaryText(makeSession(1, quiet), MADE_AT).more).toBe('too early to say');
    const still = { ...quiet, forecast: { ...makeForecast(null), certainty: 'still' as const } };
    expect(boundaryText(makeSession(1, still), MADE_AT).more).toBe('not growing');
  });

  it('never gives an unread session a number', () => {
    expect(boundaryText(makeSession(1, { state: 'untracked', used: null }), MADE_AT)).toMatchObject({
      lead: '',
      more: 'not tracked',
    });
    expect(boundaryText(makeSession(1, { used: null, lastKnownUsed: 157_000 }), MADE_AT)).toMatchObject({
      lead: '',
      more: 'no reading yet',
      what: `last known 157${NBSP}k`,
    });
    expect(boundaryText(makeSession(1, { limit: null }), MADE_AT)).toMatchObject({
      lead: '',
      more: 'no limit known',
    });
  });

  it('says what follows once the limit is passed, and by how much on hover', () => {
    const boundary = makeBoundary(null, { kind: 'limit', at: 200_000, left: 0, passed: true });
    const over = makeSession(1, { used: 206_900, nextBoundary: boundary });
    const text = boundaryText(over, MADE_AT);
    expect(text).toMatchObject({
      lead: 'limit passed',
      more: '',
      what: 'next turn may be refused',
      short: `6.9${NBSP}k over 200${NBSP}k`,
    });
    expect(text.exact).toContain(`6.9${NBSP}k over 200${NBSP}k`);
    expect(text.exact).toContain('after a refusal Claude Code compacts');
    expect(boundaryText({ ...over, liveness: 'idle' }, MADE_AT)).toMatchObject({
      more: 'idle',
      what: 'next turn may be refused',
    });
    expect(boundaryText({ ...over, lens: 'cumulative' }, MADE_AT).what).toBe('outcome unknown');
  });

  const line = { kind: 'restart', source: 'setting', at: 180_000 } as const;

  it('holds the countdown of a session that says nothing, and says for how long', () => {
    const silent = makeSession(1, {
      nextBoundary: makeBoundary(3),
      forecast: makeForecast(3),
      lastTurnAt: new Date(MADE_AT - 4 * 60_000).toISOString(),
    });
    const text = boundaryText(silent, MADE_AT);
    expect(text).toMatchObject({ lead: `3${NBSP}min`, held: `no turn for 4${NBSP}m` });
    expect(text.exact).toContain('it counts minutes of work');
    expect(boundaryText(silent, MADE_AT - 3 * 60_000).held).toBeNull();
    expect(boundaryText({ ...silent, nextBoundary: makeBoundary(null) }, MADE_AT).held).toBeNull();
  });

  it('says of a restart line that is only a setting what really comes after it', () => {
    const near = makeSession(1, {
      used: 178_000,
      nextBoundary: makeBoundary(2, line),
      tokensPerMinute: 2_000,
    });
    expect(boundaryText(near, MADE_AT)).toMatchObject({
      what: `Restart due, limit in 12${NBSP}min`,
    });
    expect(boundaryText(near, MADE_AT).exact).toContain(
      `No restart seen here; limit 200${NBSP}k in about 12${NBSP}min`,
    );
  });

  it('shows a passed restart line and the turns since', () => {
    const past = makeSession(1, {
      used: 186_000,
      nextBoundary: makeBoundary(6, { kind: 'limit', source: 'limit', at: 200_000 }),
      restartLinePassed: { at: new Date(MADE_AT - 60_000).toISOString(), turnsSince: 9 },
    });
    const text = boundaryText(past, MADE_AT);
    expect(text.what).toBe(`Limit 200${NBSP}k, past restart line`);
    expect(text.exact).toContain(`Restart line passed 9${NBSP}turns ago, no restart seen`);
  });

  it('does not count an idle session down, and says in the words of a silent one since when', () => {
    const lastTurnAt = new Date(MADE_AT - 38 * 60_000).toISOString();
    const idle = makeSession(1, { liveness: 'idle', lastTurnAt, nextBoundary: makeBoundary(3) });
    expect(boundaryText(idle, MADE_AT)).toMatchObject({ lead: '', more: `idle, no turn for 38${NBSP}m` });
    expect(boundaryText({ ...idle, lastTurnAt: null }, MADE_AT).more).toBe('idle, no turn yet');
    expect(boundaryText({ ...idle, liveness: 'ended' }, MADE_AT).more).toBe('ended');
  });
});
