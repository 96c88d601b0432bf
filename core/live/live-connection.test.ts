import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLiveConnection, type LiveStatus } from './live-connection';
import type { LiveFrame } from './protocol';
import { TestSocket, testSockets } from './testing-socket';

const T = 1_000_000;
const counts = { restarts: 0, compactions: 0, cacheReadShare: null };
const snapshot = { type: 'fleet_snapshot', sessions: [], counts };
const delta = { type: 'fleet_delta', changed: [], removed: [], counts };

beforeEach(() => {
  vi.useFakeTimers({ now: T });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A connection that is subscribed to the fleet, and live unless `isLive` is false. */
function start({ isLive = true } = {}) {
  const { sockets, open } = testSockets();
  const frames: LiveFrame[] = [];
  const statuses: LiveStatus[] = [];
  const connection = createLiveConnection({
    open,
    onStatus: () => statuses.push(connection.status),
    onFrame: (frame) => frames.push(frame),
  });
  const leave = connection.subscribe({ topic: 'fleet' });
  const socket = (index: number) => sockets[index] ?? new TestSocket();
  if (isLive) {
    socket(0).open();
    socket(0).deliver(snapshot);
  }
  return { connection, sockets, socket, frames, statuses, leave };
}

describe('connecting', () => {
  it('subscribes when the socket opens, and is live with the first frame', () => {
    const { connection, socket, frames, statuses } = start({ isLive: false });
    expect(socket(0).sent).toEqual([]);
    socket(0).open();
    expect(socket(0).sent).toEqual([{ type: 'subscribe', topic: 'fleet' }]);
    expect(connection.status).toEqual({ status: 'connecting' });
    socket(0).deliver({ ...snapshot, now: T + 60_000 });
    expect(frames).toMatchObject([snapshot]);
    expect(statuses).toEqual([{ status: 'live', offsetMs: 60_000 }]);
    socket(0).deliver({ ...delta, now: T + 60_900 });
    expect(statuses, 'jitter of the network').toHaveLength(1);
  });

  it('sends a ping when it has no topics', () => {
    const { connection, socket, leave } = start({ isLive: false });
    leave();
    socket(0).open();
    expect(socket(0).sent).toEqual([{ type: 'ping', at: T }]);
    socket(0).deliver({ type: 'pong', at: T });
    expect(connection.status.status).toBe('live');
  });

  it('requests a snapshot for each subscriber, and unsubscribes with the last', () => {
    const { connection, socket, leave } = start();
    const leaveToo = connection.subscribe({ topic: 'fleet' });
    const leaveSession = connection.subscribe({ topic: 'session', id: 's' });
    expect(socket(0).sent.slice(1)).toEqual([
      { type: 'subscribe', topic: 'fleet' },
      { type: 'subscribe', topic: 'session', id: 's' },
    ]);
    leave();
    expect(socket(0).sent).toHaveLength(3);
    leaveToo();
    leaveSession();
    expect(socket(0).sent.slice(3)).toEqual([
      { type: 'unsubscribe', topic: 'fleet' },
      { type: 'unsubscribe', topic: 'session', id: 's' },
    ]);
  });
});

describe('an invalid frame', () => {
  it.each([
    ['a gap in the numbers', JSON.stringify({ ...delta, n: 3, epoch: 'e', now: T })],
    ['another epoch', JSON.stringify({ ...delta, n: 2, epoch: 'other', now: T })],
    ['text that is no JSON', '{'],
    ['no frame', '7'],
    ['null', 'null'],
    ['a frame without a time', JSON.stringify({ ...delta, n: 2, epoch: 'e' })],
  ])('ends the socket: %s', (_, data) => {
    const { connection, sockets, socket, frames } = start();
    socket(0).onmessage?.({ data });
    expect(socket(0).isClosed).toBe(true);
    expect(connection.status).toEqual({ status: 'reconnecting', since: T });
    vi.advanceTimersByTime(1_000);
    expect(sockets).toHaveLength(2);
    // Events of the dropped socket are ignored.
    socket(0).deliver(delta);
    socket(0).onclose?.();
    expect(frames).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(sockets).toHaveLength(2);
    socket(1).open();
    socket(1).deliver({ ...snapshot, epoch: 'other' });
    expect(connection.status.status).toBe('live');
  });
});

describe('a lost connection', () => {
  it('waits longer with each attempt, also when the server closes right after a frame', () => {
    const { sockets, socket } = start();
    vi.advanceTimersByTime(6_000);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const last = socket(sockets.length - 1);
      if (attempt === 3) {
        last.open();
        last.deliver(snapshot);
      }
      last.onclose?.();
      const lostAt = Date.now();
      vi.advanceTimersToNextTimer();
      while (socket(sockets.length - 1) === last) vi.advanceTimersToNextTimer();
      waits.push(Date.now() - lostAt);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 7_500, 7_500, 7_500]);
  });

  it('keeps the time of the last valid data, and becomes stale until frames arrive', () => {
    const { connection, sockets, socket, statuses } = start();
    vi.advanceTimersByTime(6_000);
    socket(0).onclose?.();
    expect(connection.status).toEqual({ status: 'reconnecting', since: T });
    vi.advanceTimersByTime(250);
    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(3_749);
    expect(connection.status.status).toBe('reconnecting');
    vi.advanceTimersByTime(1);
    expect(connection.status).toEqual({ status: 'stale', since: T });
    socket(1).open();
    expect(connection.status.status).toBe('stale');
    expect(socket(1).sent).toEqual([{ type: 'subscribe', topic: 'fleet' }]);
    socket(1).deliver(snapshot);
    expect(statuses.map(({ status }) => status)).toEqual(['live', 'reconnecting', 'stale', 'live']);
  });

  it('retries at once when the network is back', () => {
    const { connection, sockets, socket } = start();
    connection.nudge();
    expect(sockets).toHaveLength(1);
    socket(0).onclose?.();
    connection.nudge();
    expect(sockets).toHaveLength(2);
    vi.advanceTimersByTime(5_000);
    expect(sockets).toHaveLength(2);
  });

  it('is detected by silence: first a ping, then the end', () => {
    const { connection, socket } = start();
    const pings = () => socket(0).sent.filter((request) => (request as { type: string }).type === 'ping');
    vi.advanceTimersByTime(15_000);
    expect(pings()).toHaveLength(1);
    socket(0).deliver({ type: 'pong', at: T });
    vi.advanceTimersByTime(34_999);
    expect(pings()).toHaveLength(2);
    expect(connection.status.status).toBe('live');
    vi.advanceTimersByTime(1);
    expect(connection.status).toEqual({ status: 'stale', since: T + 15_000 });
    expect(socket(0).isClosed).toBe(true);
  });

  it('also counts a socket that never opens', () => {
    const { connection, sockets } = start({ isLive: false });
    vi.advanceTimersByTime(35_000);
    expect(connection.status).toEqual({ status: 'stale', since: T });
    vi.advanceTimersByTime(250);
    expect(sockets).toHaveLength(2);
  });
});

it('stops permanently, without timers left', () => {
  const { connection, sockets, socket } = start();
  connection.stop();
  socket(0).onclose?.();
  expect(socket(0).isClosed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  expect(sockets).toHaveLength(1);
});
