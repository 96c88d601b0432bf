import { afterEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../core/events/event';
import { SNAPSHOT_EVENTS } from '../../core/live/protocol';
import { testEvent } from '../../core/live/testing-rows';
import { createEventsFeed, type EventsFeed, type EventsFeedOptions } from './events-feed';
import { follow } from './testing/reader';

interface Frame {
  type: 'events_snapshot' | 'events_delta';
  events: SessionEvent[];
  retracted?: string[];
}

let feed: EventsFeed | undefined;
afterEach(() => feed?.close());

const A = 'aaaaaaaa-0000-5000-8000-000000000000';
const B = 'bbbbbbbb-0000-5000-8000-000000000000';

function setUp(changes: Partial<EventsFeedOptions> = {}) {
  const stored = new Map<string, SessionEvent>();
  const put = (second: number, part: Partial<SessionEvent> = {}) => {
    const id = `e${second}`;
    const at = new Date(Date.UTC(2026, 10, 20) + second * 1_000).toISOString();
    stored.set(id, testEvent(id, { sessionId: A, at, ...part }));
  };
  const newest = () => [...stored.values()].sort((a, b) => (a.at < b.at ? 1 : -1));
  const asked: (readonly string[] | null)[] = [];
  const settled = new Set<() => void>();
  const errors: unknown[] = [];
  let breaks = false;
  feed = createEventsFeed({
    source: {
      loadNewest: (count) => Promise.resolve(newest().slice(0, count)),
      loadWindow({ from, sessionIds, limit }) {
        asked.push(sessionIds);
        for (const settle of settled) settle();
        if (breaks) return Promise.reject(new Error('no database'));
        return Promise.resolve(
          newest()
            .filter(({ at }) => from === null || at >= from)
            .filter(({ sessionId }) => sessionIds === null || sessionIds.includes(sessionId))
            .slice(0, limit),
        );
      },
    },
    onError: (error) => errors.push(error),
    tickMs: 5,
    sweepMs: 1_000_000,
    ...changes,
  });
  return {
    feed,
    put,
    stored,
    asked,
    errors,
    break(value: boolean) {
      breaks = value;
    },
    /** Resolve after the window was read `count` times. */
    reads: (count: number) =>
      new Promise<void>((resolve) => {
        const settle = () => asked.length >= count && resolve();
        settled.add(settle);
        settle();
      }),
  };
}

const ids = (frame: Frame | undefined) => frame?.events.map(({ id }) => id);
const hint = (publicId: string) => feed?.hint([{ publicId }]);

describe('events feed', () => {
  it('begins with the newest events, and sends new and revised ones of changed sessions', async () => {
    const { feed, put, asked } = setUp();
    put(1);
    put(2, { sessionId: B });
    const reader = await follow<Frame>(feed);
    expect(reader.frames[0]?.type).toBe('events_snapshot');
    expect(ids(reader.frames[0])).toEqual(['e2', 'e1']);

    put(3);
    put(1, { revision: 2 });
    put(4, { sessionId: B });
    hint(A);
    await reader.got(2);
    expect(reader.frames[1]).toMatchObject({ type: 'events_delta', retracted: [] });
    expect(ids(reader.frames[1])).toEqual(['e3', 'e1']);
    expect(asked).toEqual([[A]]);
  });

  it('sends retracted events, also when the whole session is gone', async () => {
    const { feed, put, stored } = setUp();
    put(1);
    put(2, { sessionId: B });
    put(3, { sessionId: B });
    const reader = await follow<Frame>(feed);
    stored.delete('e2');
    stored.delete('e3');
    hint(B);
    await reader.got(2);
    expect(reader.frames[1]).toMatchObject({ events: [], retracted: ['e3', 'e2'] });
  });

  it('sends a changed session title without a revision', async () => {
    const { feed, put } = setUp();
    put(1);
    const reader = await follow<Frame>(feed);
    put(1, { sessionTitle: 'Named' });
    hint(A);
    await reader.got(2);
    expect(reader.frames[1]?.events[0]?.sessionTitle).toBe('Named');
  });

  it('sends nothing for turns without events, and joins the hints of one tick', async () => {
    const { feed, put, asked, reads } = setUp({ tickMs: 40 });
    put(1);
    const reader = await follow<Frame>(feed);
    for (let i = 0; i < 50; i += 1) hint(A);
    await reads(1);
    put(2);
    hint(B);
    hint(A);
    await reader.got(2);
    expect(asked).toEqual([[A], [B, A]]);
    expect(reader.frames).toHaveLength(2);
  });

  it('ignores events before its window', async () => {
    const { feed, put, reads } = setUp();
    for (let i = 1; i <= SNAPSHOT_EVENTS + 10; i += 1) put(i);
    const reader = await follow<Frame>(feed);
    expect(reader.frames[0]?.events).toHaveLength(SNAPSHOT_EVENTS);
    put(5, { revision: 2 });
    hint(A);
    await reads(1);
    put(500);
    hint(A);
    await reader.got(2);
    expect(ids(reader.frames[1])).toEqual(['e500']);
  });

  it('sends a snapshot for a burst larger than one frame', async () => {
    const { feed, put } = setUp({ maxDelta: 20 });
    put(1);
    const reader = await follow<Frame>(feed);
    for (let i = 2; i <= 4_000; i += 1) put(i);
    hint(A);
    await reader.got(2);
    expect(reader.frames[1]?.type).toBe('events_snapshot');
    expect(ids(reader.frames[1])?.slice(0, 2)).toEqual(['e4000', 'e3999']);
    expect(reader.frames[1]?.events).toHaveLength(SNAPSHOT_EVENTS);
  });

  it('keeps its window bounded', async () => {
    const { feed, put, stored } = setUp({ maxHeld: 40 });
    const reader = await follow<Frame>(feed);
    for (let i = 1; i <= 100; i += 1) {
      put(i);
      hint(A);
      await reader.got(i + 1);
    }
    // Far behind the window, so the feed does not send it.
    stored.delete('e3');
    put(101);
    hint(A);
    await reader.got(102);
    expect(reader.frames.at(-1)).toMatchObject({ events: [{ id: 'e101' }], retracted: [] });
  });

  it('sends a fresh snapshot to a slow reader once it has caught up', async () => {
    const { feed, put } = setUp();
    put(1);
    const [slow, quick] = [await follow<Frame>(feed), await follow<Frame>(feed)];
    slow.fallBehind();
    for (const second of [2, 3]) {
      put(second);
      hint(A);
      await quick.got(second);
    }
    expect(slow.frames).toHaveLength(1);
    slow.catchUp();
    await slow.got(2);
    expect(slow.frames[1]?.type).toBe('events_snapshot');
    expect(ids(slow.frames[1])).toEqual(['e3', 'e2', 'e1']);
  });

  it('finds events of lost hints by its sweep', async () => {
    const { feed, put, stored } = setUp({ sweepMs: 10 });
    put(1);
    put(2);
    const reader = await follow<Frame>(feed);
    put(3);
    stored.delete('e1');
    await reader.got(2);
    expect(reader.frames[1]).toMatchObject({ events: [{ id: 'e3' }], retracted: ['e1'] });
  });

  it('retries after a failed read', async () => {
    const { feed, put, errors, reads, break: setBroken } = setUp({ sweepMs: 10 });
    put(1);
    const reader = await follow<Frame>(feed);
    setBroken(true);
    put(2);
    hint(A);
    await reads(1);
    setBroken(false);
    await reader.got(2);
    expect(ids(reader.frames[1])).toEqual(['e2']);
    expect(errors).not.toHaveLength(0);
  });

  it('reads nothing without readers, and begins again with the next one', async () => {
    const { feed, put, asked } = setUp();
    put(1);
    const first = await follow<Frame>(feed);
    feed.unsubscribe(first.sender);
    put(2);
    hint(A);
    const second = await follow<Frame>(feed);
    expect(ids(second.frames[0])).toEqual(['e2', 'e1']);
    expect(asked).toEqual([]);
    expect(first.frames).toHaveLength(1);
  });
});
