import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '@/core/events/event';
import type { EventsFrame } from '@/core/live/event-stream';
import { SNAPSHOT_EVENTS } from '@/core/live/protocol';
import { testEvent } from '@/core/live/testing-rows';
import { beginHeld, narrow, release, shownEvents, takeFrame, takePage } from './hold-stream';

const eventAt = (second: number, changes: Partial<SessionEvent> = {}) =>
  testEvent(`e${second}`, {
    at: new Date(Date.UTC(2026, 10, 20) + second * 1_000).toISOString(),
    ...changes,
  });
const frame = (part: object) => ({ n: 1, epoch: 'run', now: 0, ...part }) as EventsFrame;
const delta = (events: SessionEvent[], retracted: string[] = []) =>
  frame({ type: 'events_delta', events, retracted });
const all = () => true;
const page = (...seconds: number[]) => ({
  events: seconds.map((second) => eventAt(second)),
  nextCursor: null,
});
const ids = (held: ReturnType<typeof beginHeld>) => shownEvents(held).map(({ id }) => id);

describe('a stream under the pointer or focus', () => {
  it('keeps its rows where they are while news wait, and shows them when let go', () => {
    let held = beginHeld(page(5, 3));
    held = takeFrame(held, delta([eventAt(9), eventAt(4)]), all, true);
    held = takeFrame(held, delta([eventAt(10)]), all, true);
    expect(ids(held)).toEqual(['e5', 'e3']);
    expect(held.waiting.size).toBe(3);
    expect(ids(release(held))).toEqual(['e10', 'e9', 'e5', 'e4', 'e3']);
  });

  it('shows a revision at once, in its place', () => {
    const held = takeFrame(beginHeld(page(5, 3)), delta([eventAt(3, { revision: 2, turn: 7 })]), all, true);
    expect(held.waiting.size).toBe(0);
    expect(shownEvents(held)[1]?.turn).toBe(7);
  });

  it('no longer counts what was retracted while it waited', () => {
    let held = takeFrame(beginHeld(page(5)), delta([eventAt(6), eventAt(7)]), all, true);
    held = takeFrame(held, delta([], ['e6']), all, true);
    expect(held.waiting.size).toBe(1);
  });

  it('shows new events at once otherwise', () => {
    expect(ids(takeFrame(beginHeld(page(5)), delta([eventAt(6)]), all, false))).toEqual(['e6', 'e5']);
  });

  it('begins afresh where nothing of what was read is left', () => {
    const far = Array.from({ length: SNAPSHOT_EVENTS }, (_, index) => eventAt(90_000 - index));
    const held = takeFrame(beginHeld(page(5)), frame({ type: 'events_snapshot', events: far }), all, true);
    expect(shownEvents(held)).toHaveLength(SNAPSHOT_EVENTS);
  });
});

describe('another question', () => {
  it('shows what is known at once, and its page when it comes', () => {
    const isEven = ({ id }: SessionEvent) => Number(id.slice(1)) % 2 === 0;
    const narrowed = narrow(beginHeld(page(6, 5, 4)), isEven);
    expect(ids(narrowed)).toEqual(['e6', 'e4']);
    expect(ids(takePage(takeFrame(narrowed, delta([eventAt(8)]), isEven, false), page(6, 4, 2)))).toEqual([
      'e8',
      'e6',
      'e4',
      'e2',
    ]);
  });
});
