import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '@/core/events/kinds';
import { testEvent } from '@/core/live/testing-rows';
import {
  type EventsQuery,
  eventsSearch,
  KIND_GROUPS,
  matchEvent,
  prepareRows,
  toggleKinds,
} from './events-query';

const ALL: EventsQuery = { kind: [], project: '', session: '', chain: null, from: null, to: null };
const [from, to] = [new Date(Date.UTC(2026, 0, 2)), new Date(Date.UTC(2026, 0, 3))];
const named = { sessionTitle: 'Sorts mail', sessionKey: 'run/1', project: 'atlas' };

describe('the query of the stream', () => {
  it.each<[Partial<EventsQuery>, string]>([
    [{}, ''],
    [{ session: '  ' }, ''],
    [
      { kind: ['restart', 'thrash'], project: 'a b', session: ' two words ', chain: 'side' },
      'kind=restart&kind=thrash&project=a+b&q=two+words&scope=side',
    ],
    [{ to: new Date(Date.UTC(2026, 10, 22, 14, 3, 59, 999)) }, 'to=2026-11-22T14%3A03%3A59.999Z'],
  ])('%o becomes “%s”', (query, search) => {
    expect(eventsSearch({ ...ALL, ...query })).toBe(search);
  });

  it.each<[Partial<EventsQuery>, Parameters<typeof testEvent>[1], boolean]>([
    [{}, {}, true],
    [{ kind: ['restart'] }, {}, false],
    [{ kind: ['restart', 'compaction'] }, {}, true],
    [{ project: 'p' }, { project: 'P' }, false],
    [{ chain: 'side' }, { chain: 'explorer' }, true],
    [{ chain: 'side' }, {}, false],
    [{ chain: 'main' }, { chain: 'explorer' }, false],
    [{ from, to }, { at: '2026-01-02T00:00:00.000Z' }, true],
    [{ from, to }, { at: '2026-01-03T00:00:00.000Z' }, true],
    [{ from, to }, { at: '2026-01-03T00:00:00.001Z' }, false],
    [{ from, to }, { at: '2026-01-01T23:59:59.999Z' }, false],
    [{ session: 'MAIL atlas run/1' }, named, true],
    [{ session: 'mail other' }, named, false],
  ])('%o matches an event %o: %s', (query, event, matches) => {
    expect(matchEvent({ ...ALL, ...query })(testEvent('e', event))).toBe(matches);
  });

  it('toggles a group of kinds, and leaves the others as they are', () => {
    const boundaries = KIND_GROUPS[0]?.kinds ?? [];
    const pressed = toggleKinds(['thrash', 'restart'], boundaries);
    expect(new Set(pressed)).toEqual(new Set(['thrash', ...boundaries]));
    expect(toggleKinds(pressed, boundaries)).toEqual(['thrash']);
  });

  it('puts each kind in exactly one group', () => {
    expect(KIND_GROUPS.flatMap((group) => group.kinds).toSorted()).toEqual([...EVENT_KINDS].toSorted());
  });
});

it.each([
  ['UTC', ['Sunday 22 Nov 2026', 0, 'Saturday 21 Nov 2026', 1, 2]],
  ['Europe/Berlin', ['Sunday 22 Nov 2026', 0, 1, 'Saturday 21 Nov 2026', 2]],
])('starts each day in %s with the name of the day', (zone, expected) => {
  const times = ['2026-11-22T00:30:00.000Z', '2026-11-21T23:30:00.000Z', '2026-11-21T22:30:00.000Z'];
  const rows = prepareRows(
    times.map((at, index) => testEvent(`e${index}`, { at })),
    zone,
  );
  expect(rows.map((row) => ('day' in row ? row.day : row.index))).toEqual(expected);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});
