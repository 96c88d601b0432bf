import { describe, expect, it } from 'vitest';
import type { LiveStatus } from './connection-state';
import { createLiveConnection, type SocketHandlers } from './live-connection';
import type { LiveFrame } from './protocol';

/** A connection on a clock and sockets that the test controls. */
function setUp() {
  let time = 1_000_000;
  const tasks = new Set<{ at: number; task: () => void }>();
  const sockets: { handlers: SocketHandlers; sent: unknown[]; closed: boolean }[] = [];
  const states: LiveStatus[] = [];
  const frames: LiveFrame[] = [];
  let refuse = false;
  const connection = createLiveConnection({
    url: 'ws://test/v1/live',
    connect(_, handlers) {
      if (refuse) throw new Error('no route');
      const socket = { handlers, sent: [] as unknown[], closed: false };
      sockets.push(socket);
      return {
        send: (text) => socket.sent.push(JSON.parse(text)),
        close: () => {
          socket.closed = true;
        },
      };
    },
    now: () => time,
    random: () => 0.5,
    schedule(task, delayMs) {
      const entry = { at: time + delayMs, task };
      tasks.add(entry);
      return () => tasks.delete(entry);
    },
    onState: (status) => states.push(status),
    onFrame: (frame) => frames.push(frame),
  });
  return {
    connection,
    sockets,
    states,
    frames,
    refuse: (value: boolean) => {
      refuse = value;
    },
    /** Advance time and run due tasks in order. */
    pass(ms: number) {
      const until = time + ms;
      for (;;) {
        const due = [...tasks].filter((entry) => entry.at <= until).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        tasks.delete(due);
        time = Math.max(time, due.at);
        due.task();
      }
      time = until;
    },
    socket(index: number) {
      const socket = sockets[index];
      if (!socket) throw new Error(`no socket ${index}`);
      return socket;
    },
    frame(index: number, n: number, changes: Partial<LiveFrame> = {}) {
      const counts = { restarts: 0, compactions: 0, cacheReadShare: null };
      const frame = { n, epoch: 'e', now: time, type: 'fleet_snapshot', sessions: [], counts, ...changes };
      sockets[index]?.handlers.onMessage(JSON.stringify(frame));
    },
    pending: () => tasks.size,
  };
}

describe('live connection', () => {
  it('connects immediately, subscribes its topics, and delivers frames', () => {
    const t = setUp();
    t.connection.subscribe({ topic: 'fleet' });
    t.socket(0).handlers.onOpen();
    expect(t.socket(0).sent).toEqual([{ type: 'subscribe', topic: 'fleet' }]);
    t.frame(0, 1);
    expect(t.frames).toHaveLength(1);
    expect(t.states).toEqual([{ status: 'live', offsetMs: 0 }]);
  });

  it('reconnects, subscribes again, and reports the age of the data until then', () => {
    const t = setUp();
    t.connection.subscribe({ topic: 'fleet' });
    t.socket(0).handlers.onOpen();
    t.frame(0, 1);
    t.pass(6_000);
    t.socket(0).handlers.onClose();
    expect(t.connection.status).toEqual({ status: 'reconnecting', since: 1_000_000, retryAt: 1_006_250 });
    t.refuse(true);
    t.pass(6_000);
    expect(t.connection.status).toMatchObject({ status: 'stale', since: 1_000_000 });
    t.refuse(false);
    t.pass(20_000);
    expect(t.sockets).toHaveLength(2);
    t.socket(1).handlers.onOpen();
    expect(t.socket(1).sent).toEqual([{ type: 'subscribe', topic: 'fleet' }]);
    t.frame(1, 1, { epoch: 'other' });
    expect(t.connection.status).toMatchObject({ status: 'live' });
  });

  it('ignores events of a dropped socket', () => {
    const t = setUp();
    t.connection.subscribe({ topic: 'fleet' });
    t.socket(0).handlers.onOpen();
    t.socket(0).handlers.onMessage('{');
    expect(t.socket(0).closed).toBe(true);
    t.pass(1_000);
    t.socket(0).handlers.onClose();
    t.frame(0, 1);
    expect(t.frames).toHaveLength(0);
    expect(t.sockets).toHaveLength(2);
  });

  it('requests one snapshot for a second subscriber, and unsubscribes when the last subscriber leaves', () => {
    const t = setUp();
    const leave = t.connection.subscribe({ topic: 'fleet' });
    t.socket(0).handlers.onOpen();
    t.frame(0, 1);
    const leaveToo = t.connection.subscribe({ topic: 'fleet' });
    expect(t.socket(0).sent).toHaveLength(2);
    leave();
    leave();
    expect(t.socket(0).sent).toHaveLength(2);
    leaveToo();
    expect(t.socket(0).sent.at(-1)).toEqual({ type: 'unsubscribe', topic: 'fleet' });
  });

  it('stops permanently, without timers left', () => {
    const t = setUp();
    t.socket(0).handlers.onOpen();
    t.connection.stop();
    expect(t.socket(0).closed).toBe(true);
    expect(t.pending()).toBe(0);
    t.pass(100_000);
    expect(t.sockets).toHaveLength(1);
    expect(t.connection.status).toEqual({ status: 'stopped' });
  });
});
