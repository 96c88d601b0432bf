import { describe, expect, it } from 'vitest';
import { eventOf } from '@/core/events/event.fixture';
import { eventsWithin, joinEvents } from './session-events';

const of = (id: string, minute: number, revision = 1) =>
  eventOf({ id, kind: 'state_changed', at: new Date(minute * 60_000).toISOString(), revision });
const ids = (events: ReturnType<typeof joinEvents>) => events.map(({ id }) => id).join('');

describe('the events of the page', () => {
  it('are one list of what was read in pieces: old marks before the newest events, each once', () => {
    const newest = [of('h', 8), of('i', 9), of('j', 10)];
    const marks = [of('a', 1), of('d', 4), of('i', 9)];
    const linked = [of('b', 2)];
    expect(ids(joinEvents([newest, marks, linked]))).toBe('abdhij');
    expect(ids(joinEvents([]))).toBe('');
  });

  it('keep the order of the server within a piece, for time never orders', () => {
    expect(ids(joinEvents([[of('x', 5), of('y', 3), of('z', 6)]]))).toBe('xyz');
  });

  it('hold each event in its highest revision, from whichever piece it comes', () => {
    const [event] = joinEvents([[of('a', 1, 2)], [of('a', 1, 3)], [of('a', 1, 1)]]);
    expect(event?.revision).toBe(3);
  });

  it('are narrowed to a stretch of time, both ends counted', () => {
    const events = [of('a', 1), of('b', 2), of('c', 3)];
    expect(ids([...eventsWithin(events, 120_000, null)])).toBe('bc');
    expect(ids([...eventsWithin(events, 60_000, 120_000)])).toBe('ab');
    expect(eventsWithin(events, null, null)).toBe(events);
  });
});
