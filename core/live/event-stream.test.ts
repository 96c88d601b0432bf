import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../events/event';
import {
  addOlderEvents,
  applyEventsFrame,
  beginEventStream,
  type EventStream,
  type EventsFrame,
  joinEvents,
} from './event-stream';
import { SNAPSHOT_EVENTS } from './protocol';
import { testEvent } from './testing-rows';

const START = Date.parse('2026-11-20T10:00:00.000Z');
/** An event at this second after the start, with the second in its id. */
const eventAt = (second: number, changes: Partial<SessionEvent> = {}) =>
  testEvent(`e${second}`, { at: new Date(START + second * 1_000).toISOString(), ...changes });
/** Events at these seconds, the newest first. */
const span = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => eventAt(to - index));
const frame = (part: object) => ({ n: 1, epoch: 'run', now: START, ...part }) as EventsFrame;
const delta = (events: SessionEvent[], retracted: string[] = []) =>
  frame({ type: 'events_delta', events, retracted });
const snapshot = (events: SessionEvent[]) => frame({ type: 'events_snapshot', events });
const all = () => true;
const ids = ({ events }: EventStream) => events.map(({ id }) => id);
const stream = (events: SessionEvent[], nextCursor: string | null = null) =>
  beginEventStream({ events, nextCursor });

describe('event stream', () => {
  it('inserts each new event once, in order', () => {
    const held = stream([eventAt(10), eventAt(5)]);
    const after = applyEventsFrame(held, delta([eventAt(12), eventAt(10), eventAt(7)]), all);
    expect(ids(after)).toEqual(['e12', 'e10', 'e7', 'e5']);
  });

  it('replaces an event by a newer revision, but not by an older revision', () => {
    const held = stream([eventAt(2), eventAt(1, { revision: 3 })]);
    const revised = applyEventsFrame(held, delta([eventAt(1, { revision: 4, turn: 9 })]), all);
    expect(ids(revised)).toEqual(['e2', 'e1']);
    expect(revised.events[1]?.turn).toBe(9);
    expect(applyEventsFrame(revised, delta([eventAt(1, { revision: 3 })]), all)).toBe(revised);
  });

  it('updates the title of a session', () => {
    const held = stream([eventAt(1)]);
    const after = applyEventsFrame(held, delta([eventAt(1, { sessionTitle: 'Named' })]), all);
    expect(after.events[0]?.sessionTitle).toBe('Named');
  });

  it('drops retracted events', () => {
    const held = stream([eventAt(2), eventAt(1)]);
    expect(ids(applyEventsFrame(held, delta([], ['e1', 'never-seen']), all))).toEqual(['e2']);
  });

  it('keeps the order of the server among events of one moment', () => {
    const at = eventAt(1).at;
    const held = stream([testEvent('a', { at })]);
    const after = applyEventsFrame(held, delta([testEvent('c', { at }), testEvent('b', { at })]), all);
    expect(ids(after)).toEqual(['c', 'b', 'a']);
  });

  it('shows only matching events, even after a revision', () => {
    const isMain = (event: SessionEvent) => event.chain === 'main';
    const held = stream([eventAt(1)]);
    const more = applyEventsFrame(held, delta([eventAt(3, { chain: 'sub' }), eventAt(2)]), isMain);
    expect(ids(more)).toEqual(['e2', 'e1']);
    const moved = applyEventsFrame(more, delta([eventAt(2, { chain: 'sub', revision: 2 })]), isMain);
    expect(ids(moved)).toEqual(['e1']);
  });

  it('stays bounded in a burst, and reads the rest as older events', () => {
    let held = stream(span(1, 200), 'cursor');
    for (let from = 201; from < 201 + 2_000; from += 400) {
      held = applyEventsFrame(held, delta(span(from, from + 399)), all);
    }
    expect(held.events).toHaveLength(2_000);
    const last = held.events.at(-1);
    expect(held.older).toEqual({ to: last?.at });
    const older = addOlderEvents(held, { events: [eventAt(201), ...span(150, 200)], nextCursor: 'next' });
    expect(new Set(ids(older)).size).toBe(older.events.length);
    expect(older.older).toEqual({ cursor: 'next' });
  });

  it('keeps older pages when new events arrive', () => {
    let held = stream(span(3_000, 3_199), 'a');
    held = addOlderEvents(held, { events: span(500, 2_999), nextCursor: null });
    held = applyEventsFrame(held, delta(span(3_200, 3_299)), all);
    expect(held.events).toHaveLength(2_800);
    expect(held.older).toBeNull();
  });
});

describe('a fresh snapshot', () => {
  it('contains every event of a small fleet', () => {
    const held = stream([eventAt(9)], 'cursor');
    expect(applyEventsFrame(held, snapshot([eventAt(2), eventAt(1)]), all)).toMatchObject({
      events: [{ id: 'e2' }, { id: 'e1' }],
      older: null,
    });
  });

  it('is joined with overlapping known events, without retracted events', () => {
    const held = stream(span(1, 150), 'cursor');
    const now = span(101, 101 + SNAPSHOT_EVENTS).filter(({ id }) => id !== 'e120');
    const after = applyEventsFrame(held, snapshot(now), all);
    expect(after.events).toHaveLength(101 + SNAPSHOT_EVENTS - 1);
    expect(ids(after)).not.toContain('e120');
    expect(after.older).toEqual({ cursor: 'cursor' });
  });

  it('replaces the known events after a gap, which is then read as older events', () => {
    const held = stream(span(1, 50), 'cursor');
    const after = applyEventsFrame(held, snapshot(span(1_001, 1_000 + SNAPSHOT_EVENTS)), all);
    expect(after.events).toHaveLength(SNAPSHOT_EVENTS);
    expect(after.older).toEqual({ to: eventAt(1_001).at });
  });

  it('continues at the snapshot’s last event if no event matches', () => {
    const held = stream([], null);
    const after = applyEventsFrame(held, snapshot(span(1, SNAPSHOT_EVENTS)), () => false);
    expect(after).toMatchObject({ events: [], older: { to: eventAt(1).at } });
  });
});

describe('a new filter', () => {
  it('shows its first page and the events received since', () => {
    const page = stream([eventAt(20), eventAt(10)], 'more');
    const joined = joinEvents(page, [eventAt(30), eventAt(20), eventAt(5)]);
    expect(ids(joined)).toEqual(['e30', 'e20', 'e10']);
  });
});
