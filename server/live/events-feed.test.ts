import { afterEach, expect, test } from 'vitest';
import type { SessionEvent } from '../../core/events/event';
import { SNAPSHOT_EVENTS } from '../../core/live/protocol';
import { testEvent } from '../../core/live/testing-rows';
import { createEventsFeed } from './events-feed';
import type { Feed } from './feed';
import { follow } from './testing/reader';

interface Frame {
  type: 'events_snapshot' | 'events_delta';
  events: SessionEvent[];
  retracted?: string[];
}

let feed: Feed | undefined;
afterEach(() => feed?.close());

/** A feed of the events that `put` stored, and a reader that has its first frame. */
async function setUp(count: number) {
  const stored = new Map<string, SessionEvent>();
  const put = (second: number, part: Partial<SessionEvent> = {}) => {
    const at = new Date(Date.UTC(2026, 10, 20) + second * 1_000).toISOString();
    stored.set(`e${second}`, testEvent(`e${second}`, { at, ...part }));
  };
  for (let second = 1; second <= count; second += 1) put(second);
  const errors: unknown[] = [];
  const failures: Error[] = [];
  const own = createEventsFeed(
    async (limit) => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return [...stored.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit);
    },
    { onError: (error) => errors.push(error), pauseMs: () => 5 },
  );
  feed = own;
  return { feed: own, put, stored, errors, failures, reader: await follow<Frame>(own) };
}

const ids = (frame: Frame | undefined) => frame?.events.map(({ id }) => id);

test('begins with the newest events, and sends new, revised, renamed and retracted events', async () => {
  const { feed, put, stored, reader } = await setUp(4);
  expect(reader.frames[0]?.type).toBe('events_snapshot');
  expect(ids(reader.frames[0])).toEqual(['e4', 'e3', 'e2', 'e1']);
  put(5);
  put(1, { revision: 2 });
  put(2, { sessionTitle: 'Named' });
  stored.delete('e3');
  feed.ask();
  await reader.got(2);
  expect(reader.frames[1]).toMatchObject({ type: 'events_delta', retracted: ['e3'] });
  expect(ids(reader.frames[1])).toEqual(['e5', 'e2', 'e1']);
});

test('sends nothing without a change', async () => {
  const { feed, put, reader } = await setUp(1);
  feed.ask();
  const late = await follow<Frame>(feed);
  put(2);
  feed.ask();
  await reader.got(2);
  expect(ids(reader.frames[1])).toEqual(['e2']);
  expect(late.frames).toHaveLength(2);
});

test('leaves older events to the list, and does not retract events that only left the window', async () => {
  const { feed, put, reader } = await setUp(SNAPSHOT_EVENTS + 10);
  expect(reader.frames[0]?.events).toHaveLength(SNAPSHOT_EVENTS);
  put(5, { revision: 2 });
  put(500);
  feed.ask();
  await reader.got(2);
  expect(reader.frames[1]).toMatchObject({ events: [{ id: 'e500' }], retracted: [] });
});

test('sends a snapshot after a burst that fills the window', async () => {
  const { feed, put, reader } = await setUp(1);
  for (let second = 2; second <= 4_000; second += 1) put(second);
  feed.ask();
  await reader.got(2);
  expect(reader.frames[1]?.type).toBe('events_snapshot');
  expect(ids(reader.frames[1])?.slice(0, 2)).toEqual(['e4000', 'e3999']);
});

test('reads again after a failed read', async () => {
  const { feed, put, errors, failures, reader } = await setUp(1);
  failures.push(new Error('no database'));
  put(2);
  feed.ask();
  await expect.poll(() => errors).toHaveLength(1);
  feed.ask();
  await reader.got(2);
  expect(ids(reader.frames[1])).toEqual(['e2']);
});
