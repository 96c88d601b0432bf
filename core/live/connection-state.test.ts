import { describe, expect, it } from 'vitest';
import {
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  nextTickAt,
  startConnection,
  stepConnection,
} from './connection-state';
import type { LiveFrame, TopicKey } from './protocol';

const T = 1_000_000;
const PING_AFTER_MS = 15_000;
const LOST_AFTER_MS = 35_000;
const STALE_AFTER_MS = 10_000;
const SETTLED_AFTER_MS = 5_000;
const counts = { restarts: 0, compactions: 0, cacheReadShare: null };
const SESSION: TopicKey = 'session:6f1c7c4e-8f0a-5f1e-9d55-0d6d8f5f3a11';

function fleetSnapshot(n: number, epoch = 'e1', now = T): LiveFrame {
  return { n, epoch, now, type: 'fleet_snapshot', sessions: [], counts };
}
function fleetDelta(n: number, epoch = 'e1', now = T): LiveFrame {
  return { n, epoch, now, type: 'fleet_delta', changed: [], removed: [], counts };
}
function pong(n: number, epoch = 'e1', now = T): LiveFrame {
  return { n, epoch, now, type: 'pong', at: 0 };
}

/** Run events from the start. Each event has its time in milliseconds after T. */
function run(events: ReadonlyArray<readonly [number, ConnectionEvent]>): {
  state: ConnectionState;
  effects: ConnectionEffect[];
} {
  let { state, effects } = startConnection(T);
  for (const [after, event] of events) ({ state, effects } = stepConnection(state, event, T + after, 0.5));
  return { state, effects };
}

const toLive: ReadonlyArray<readonly [number, ConnectionEvent]> = [
  [0, { type: 'subscribe', topic: 'fleet' }],
  [10, { type: 'opened' }],
  [20, { type: 'frame', frame: fleetSnapshot(1) }],
];

describe('connecting', () => {
  it('subscribes when the socket opens and is live with the first frame', () => {
    expect(run(toLive.slice(0, 2))).toMatchObject({
      state: { status: 'connecting', socket: { phase: 'open' } },
      effects: [{ type: 'subscribe', topics: ['fleet'] }],
    });
    expect(run(toLive)).toMatchObject({
      state: { status: 'live', epoch: 'e1', n: 1, awaiting: [] },
      effects: [{ type: 'deliver', frame: { type: 'fleet_snapshot' } }],
    });
  });

  it('sends a ping when there are no topics', () => {
    expect(run([[5, { type: 'opened' }]]).effects).toEqual([{ type: 'ping' }]);
    expect(
      run([
        [5, { type: 'opened' }],
        [9, { type: 'frame', frame: pong(1) }],
      ]).state.status,
    ).toBe('live');
  });

  it('subscribes a new topic immediately, and delivers its first complete frame', () => {
    const joined = run([...toLive, [30, { type: 'subscribe', topic: SESSION }]]);
    expect(joined.effects).toEqual([{ type: 'subscribe', topics: [SESSION] }]);
    const id = SESSION.slice('session:'.length);
    const frame = { n: 2, epoch: 'e1', now: T, type: 'not_found', id } as const;
    expect(
      run([...toLive, [30, { type: 'subscribe', topic: SESSION }], [40, { type: 'frame', frame }]]),
    ).toMatchObject({ state: { awaiting: [] }, effects: [{ type: 'deliver' }] });
  });

  it('measures the offset between the clocks', () => {
    const { state } = run([
      [0, { type: 'subscribe', topic: 'fleet' }],
      [0, { type: 'opened' }],
      [100, { type: 'frame', frame: fleetSnapshot(1, 'e1', T + 60_100) }],
    ]);
    expect(state).toMatchObject({ offsetMs: 60_000 });
  });
});

describe('a gap in the frames', () => {
  it('subscribes again, and drops deltas until the snapshot', () => {
    const hole = [...toLive, [30, { type: 'frame', frame: fleetDelta(3) }]] as const;
    expect(run(hole)).toMatchObject({
      state: { status: 'live', n: 3, awaiting: ['fleet'] },
      effects: [{ type: 'subscribe', topics: ['fleet'] }],
    });
    expect(run([...hole, [31, { type: 'frame', frame: fleetDelta(4) }]]).effects).toEqual([]);
    expect(run([...hole, [31, { type: 'frame', frame: fleetSnapshot(4) }]])).toMatchObject({
      state: { awaiting: [] },
      effects: [{ type: 'deliver', frame: { n: 4 } }],
    });
  });

  it('is also detected by a new epoch', () => {
    expect(run([...toLive, [30, { type: 'frame', frame: fleetDelta(2, 'e2') }]])).toMatchObject({
      state: { epoch: 'e2', awaiting: ['fleet'] },
      effects: [{ type: 'subscribe', topics: ['fleet'] }],
    });
  });

  it('needs no second subscription if the frame after the gap is a snapshot', () => {
    expect(run([...toLive, [30, { type: 'frame', frame: fleetSnapshot(7) }]])).toMatchObject({
      state: { n: 7, awaiting: [] },
      effects: [{ type: 'deliver' }],
    });
  });

  it('ends the connection when a frame cannot be parsed', () => {
    expect(run([...toLive, [30, { type: 'garbled' }]])).toMatchObject({
      state: { status: 'reconnecting' },
      effects: [{ type: 'disconnect' }],
    });
  });
});

describe('a lost connection', () => {
  const lost = [...toLive, [SETTLED_AFTER_MS + 100, { type: 'closed' }]] as const;
  const at = SETTLED_AFTER_MS + 100;

  it('keeps the time of the last valid data, and waits before it retries', () => {
    expect(run(lost).state).toMatchObject({
      status: 'reconnecting',
      since: T + 20,
      attempt: 1,
      socket: { phase: 'waiting', retryAt: T + at + 250 },
    });
    expect(run([...lost, [at + 249, { type: 'tick' }]]).effects).toEqual([]);
    expect(run([...lost, [at + 250, { type: 'tick' }]])).toMatchObject({
      state: { status: 'reconnecting', socket: { phase: 'opening' } },
      effects: [{ type: 'connect' }],
    });
  });

  it('waits longer with each failed attempt, even when the server closes right after a frame', () => {
    const tries = [...lost, [at + 250, { type: 'tick' }], [at + 260, { type: 'closed' }]] as const;
    expect(run(tries).state).toMatchObject({ attempt: 2, socket: { retryAt: T + at + 260 + 500 } });
    const again = [
      ...tries,
      [at + 760, { type: 'tick' }],
      [at + 770, { type: 'opened' }],
      [at + 780, { type: 'frame', frame: fleetSnapshot(1, 'e2') }],
      [at + 790, { type: 'closed' }],
    ] as const;
    expect(run(again).state).toMatchObject({ status: 'reconnecting', attempt: 3, since: T + at + 780 });
  });

  it('becomes stale after a while, until frames arrive', () => {
    const old = [...lost, [STALE_AFTER_MS + 20, { type: 'tick' }]] as const;
    expect(run(old).state).toMatchObject({ status: 'stale', since: T + 20 });
    expect(run([...old, [STALE_AFTER_MS + 30, { type: 'opened' }]]).state.status).toBe('stale');
    expect(
      run([
        ...old,
        [STALE_AFTER_MS + 30, { type: 'opened' }],
        [STALE_AFTER_MS + 40, { type: 'frame', frame: fleetSnapshot(1, 'e2') }],
      ]).state,
    ).toMatchObject({ status: 'live', epoch: 'e2' });
  });

  it('retries immediately when the network is back', () => {
    expect(run([...lost, [at + 1, { type: 'nudge' }]]).effects).toEqual([{ type: 'connect' }]);
    expect(run([...toLive, [30, { type: 'nudge' }]]).effects).toEqual([]);
  });

  it('is detected by silence: the client sends a ping, then closes the connection', () => {
    const asked = [...toLive, [PING_AFTER_MS + 20, { type: 'tick' }]] as const;
    expect(run(asked).effects).toEqual([{ type: 'ping' }]);
    expect(run([...asked, [PING_AFTER_MS + 30, { type: 'tick' }]]).effects).toEqual([]);
    expect(run([...asked, [LOST_AFTER_MS + 20, { type: 'tick' }]])).toMatchObject({
      state: { status: 'stale', since: T + 20 },
      effects: [{ type: 'disconnect' }],
    });
    const answered = [...asked, [PING_AFTER_MS + 40, { type: 'frame', frame: pong(2) }]] as const;
    expect(run([...answered, [LOST_AFTER_MS + 20, { type: 'tick' }]]).state.status).toBe('live');
  });
});

describe('every state with every event', () => {
  const states: Record<string, ConnectionState> = {
    connecting: run([]).state,
    'connecting, open': run([[1, { type: 'opened' }]]).state,
    live: run(toLive).state,
    'reconnecting, waiting': run([...toLive, [30, { type: 'closed' }]]).state,
    'reconnecting, opening': run([...toLive, [30, { type: 'closed' }], [31, { type: 'nudge' }]]).state,
    'reconnecting, open': run([
      ...toLive,
      [30, { type: 'closed' }],
      [31, { type: 'nudge' }],
      [32, { type: 'opened' }],
    ]).state,
    stale: run([...toLive, [30, { type: 'closed' }], [STALE_AFTER_MS + 30, { type: 'tick' }]]).state,
    stopped: run([...toLive, [30, { type: 'stop' }]]).state,
  };
  const events: { [K in ConnectionEvent['type']]: Extract<ConnectionEvent, { type: K }> } = {
    opened: { type: 'opened' },
    closed: { type: 'closed' },
    frame: { type: 'frame', frame: fleetSnapshot(1) },
    garbled: { type: 'garbled' },
    subscribe: { type: 'subscribe', topic: SESSION },
    unsubscribe: { type: 'unsubscribe', topic: 'fleet' },
    refresh: { type: 'refresh', topic: 'fleet' },
    tick: { type: 'tick' },
    nudge: { type: 'nudge' },
    stop: { type: 'stop' },
  };
  // The status after each event, 20 s later; columns in the order of `states`.
  const LIVE = 'live';
  const STALE = 'stale';
  const STOPPED = 'stopped';
  const RE = 'reconnecting';
  const NEW = 'connecting';
  const table: Record<ConnectionEvent['type'], readonly string[]> = {
    opened: [NEW, NEW, LIVE, RE, RE, RE, STALE, STOPPED],
    closed: [STALE, STALE, STALE, RE, STALE, STALE, STALE, STOPPED],
    frame: [NEW, LIVE, LIVE, RE, RE, LIVE, STALE, STOPPED],
    garbled: [STALE, STALE, STALE, RE, STALE, STALE, STALE, STOPPED],
    subscribe: [NEW, NEW, LIVE, RE, RE, RE, STALE, STOPPED],
    unsubscribe: [NEW, NEW, LIVE, RE, RE, RE, STALE, STOPPED],
    refresh: [NEW, NEW, LIVE, RE, RE, RE, STALE, STOPPED],
    tick: [NEW, NEW, LIVE, STALE, STALE, STALE, STALE, STOPPED],
    nudge: [NEW, NEW, LIVE, STALE, RE, RE, STALE, STOPPED],
    stop: Object.keys(states).map(() => STOPPED),
  };
  const cases = Object.values(events).flatMap((event) =>
    Object.entries(states).map(([name, state], index) => ({
      name,
      state,
      event,
      to: table[event.type][index],
    })),
  );

  it.each(cases)('$name + $event.type → $to', ({ state, event, to }) => {
    const step = stepConnection(state, event, T + 20_000, 0.5);
    expect(step.state.status).toBe(to);
    const at = nextTickAt(step.state);
    // A machine without a next tick would wait forever.
    if (step.state.status === 'stopped') expect(at).toBeNull();
    else expect(at).toBeGreaterThan(T);
  });
});
