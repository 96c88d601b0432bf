import { describe, expect, it } from 'vitest';
import { eventOf } from '@/core/events/event.fixture';
import { pointOf } from '../../charts/series-fixture';
import { isWithin, joinEvents, joinZoomed } from './session-events';

const of = (id: string, minute: number, revision = 1) =>
  eventOf({ id, kind: 'state_changed', at: new Date(minute * 60_000).toISOString(), revision });
const ids = (events: ReturnType<typeof joinEvents>) => events.map(({ id }) => id).join('');

describe('the events of the page', () => {
  it('are merged from several reads into one list: old marks before the newest events, without duplicates', () => {
    const newest = [of('h', 8), of('i', 9), of('j', 10)];
    const marks = [of('a', 1), of('d', 4), of('i', 9)];
    const linked = [of('b', 2)];
    expect(ids(joinEvents([newest, marks, linked]))).toBe('abdhij');
    expect(ids(joinEvents([]))).toBe('');
  });

  it('keep the server’s order within a read, whatever their times', () => {
    expect(ids(joinEvents([[of('x', 5), of('y', 3), of('z', 6)]]))).toBe('xyz');
  });

  it('include the highest revision of each event, whichever read returned it', () => {
    const [event] = joinEvents([[of('a', 1, 2)], [of('a', 1, 3)], [of('a', 1, 1)]]);
    expect(event?.revision).toBe(3);
  });
});

it('keeps times within a range, both ends included', () => {
  const within = (from: number | null, to: number | null) =>
    [1, 2, 3].filter((at) => isWithin(at, { from, to }));
  expect(within(2, null)).toEqual([2, 3]);
  expect(within(1, 2)).toEqual([1, 2]);
  expect(within(null, null)).toEqual([1, 2, 3]);
});

it('inserts a zoomed range into the series without losing or repeating a turn', () => {
  const whole = [5, 10, 15, 20, 22].map((n) => pointOf({ n, turns: n === 22 ? 1 : 5 }));
  const zoomed = [8, 9, 10, 11, 12].map((n) => pointOf({ n }));
  expect(joinZoomed(whole, zoomed).map((point) => point.n)).toEqual([5, 8, 9, 10, 11, 12, 15, 20, 22]);
  expect(joinZoomed(whole, null)).toBe(whole);
});
