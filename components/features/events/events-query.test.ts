import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '@/core/events/kinds';
import { testEvent } from '@/core/live/testing-rows';
import {
  type EventsQuery,
  eventsSearch,
  isFiltered,
  KIND_GROUPS,
  matchEvent,
  toggleKinds,
} from './events-query';

const ALL: EventsQuery = { kind: [], project: '', session: '', chain: null, from: null, to: null };
const matches = (query: Partial<EventsQuery>, event: Parameters<typeof testEvent>[1]) =>
  matchEvent({ ...ALL, ...query })(testEvent('e', event));

describe('the question to the stream', () => {
  it('passes the query of the address to the API', () => {
    expect(eventsSearch(ALL)).toBe('');
    expect(
      eventsSearch({
        ...ALL,
        kind: ['restart', 'thrash'],
        project: 'a b',
        session: ' two words ',
        chain: 'side',
      }),
    ).toBe('kind=restart&kind=thrash&project=a+b&q=two+words&scope=side');
    expect(isFiltered(ALL)).toBe(false);
    expect(isFiltered({ ...ALL, session: '  ' })).toBe(false);
    expect(isFiltered({ ...ALL, chain: 'main' })).toBe(true);
    expect(eventsSearch({ ...ALL, to: new Date(Date.UTC(2026, 10, 22, 14, 3, 59, 999)) })).toBe(
      'to=2026-11-22T14%3A03%3A59.999Z',
    );
    expect(isFiltered({ ...ALL, from: new Date(0) })).toBe(true);
  });

  it('takes from the feed what the API would answer with', () => {
    expect(matches({}, {})).toBe(true);
    expect(matches({ kind: ['restart'] }, {})).toBe(false);
    expect(matches({ kind: ['restart', 'compaction'] }, {})).toBe(true);
    expect(matches({ project: 'p' }, { project: 'P' })).toBe(false);
    expect(matches({ chain: 'side' }, { chain: 'explorer' })).toBe(true);
    expect(matches({ chain: 'side' }, {})).toBe(false);
    expect(matches({ chain: 'main' }, { chain: 'explorer' })).toBe(false);
    const [from, to] = [new Date(Date.UTC(2026, 0, 2)), new Date(Date.UTC(2026, 0, 3))];
    const within = (at: string) => matches({ from, to }, { at });
    expect(within('2026-01-02T00:00:00.000Z')).toBe(true);
    expect(within('2026-01-03T00:00:00.000Z')).toBe(true);
    expect(within('2026-01-03T00:00:00.001Z')).toBe(false);
    expect(within('2026-01-01T23:59:59.999Z')).toBe(false);
    const named = { sessionTitle: 'Sorts mail', sessionKey: 'run/1', project: 'atlas' };
    expect(matches({ session: 'MAIL atlas run/1' }, named)).toBe(true);
    expect(matches({ session: 'mail other' }, named)).toBe(false);
  });

  it('presses a group of kinds in and out, and leaves the others as they are', () => {
    const boundaries = KIND_GROUPS[0]?.kinds ?? [];
    const pressed = toggleKinds(['thrash', 'restart'], boundaries);
    expect(new Set(pressed)).toEqual(new Set(['thrash', ...boundaries]));
    expect(toggleKinds(pressed, boundaries)).toEqual(['thrash']);
  });

  it('knows a group for each kind', () => {
    const kinds = KIND_GROUPS.flatMap((group) => group.kinds);
    expect(new Set(kinds).size).toBe(kinds.length);
    expect(kinds).toHaveLength(EVENT_KINDS.length);
  });
});
