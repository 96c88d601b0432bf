/**
 * The live connection as a pure state machine. Clock, socket and randomness are passed in. After a new socket, a gap in
 * the frames or a new epoch, a topic has no valid base and is in `awaiting`. Its deltas are dropped until its next
 * snapshot.
 */
import { backOffDelay } from './back-off';
import { frameTopic, type LiveFrame, startsTopic, type TopicKey } from './protocol';

/** Silence after which the client sends a ping, milliseconds. */
const PING_AFTER_MS = 15_000;
/** Silence after which the socket counts as lost, milliseconds. */
const LOST_AFTER_MS = 35_000;
/** Time without a connection after which the data is stale, milliseconds. */
const STALE_AFTER_MS = 10_000;
/** Duration of a connection that resets the back-off, milliseconds. */
const SETTLED_AFTER_MS = 5_000;

type SocketPhase =
  | { phase: 'opening'; since: number }
  | { phase: 'open'; since: number; heardAt: number; pingedAt: number | null }
  | { phase: 'waiting'; retryAt: number };

interface Topics {
  topics: readonly TopicKey[];
}

export type ConnectionState =
  /** Before the first frame. */
  | (Topics & { status: 'connecting'; socket: SocketPhase; startedAt: number; attempt: number })
  /** Frames arrive. */
  | (Topics & {
      status: 'live';
      socket: Extract<SocketPhase, { phase: 'open' }>;
      epoch: string;
      n: number;
      awaiting: readonly TopicKey[];
      /** The server's clock minus the local clock, milliseconds. */
      offsetMs: number;
      /** Attempts so far. Reset only after the connection has lasted for a while. */
      attempt: number;
    })
  /** Lost a short time ago. The old data is kept. */
  | (Topics & { status: 'reconnecting'; socket: SocketPhase; since: number; attempt: number })
  /** Lost so long ago that the data is stale. */
  | (Topics & { status: 'stale'; socket: SocketPhase; since: number; attempt: number })
  | (Topics & { status: 'stopped' });

export type ConnectionEvent =
  | { type: 'opened' }
  | { type: 'closed' }
  | { type: 'frame'; frame: LiveFrame }
  | { type: 'garbled' }
  | { type: 'subscribe'; topic: TopicKey }
  | { type: 'unsubscribe'; topic: TopicKey }
  | { type: 'refresh'; topic: TopicKey }
  | { type: 'tick' }
  | { type: 'nudge' }
  | { type: 'stop' };

export type ConnectionEffect =
  | { type: 'connect' }
  | { type: 'disconnect' }
  | { type: 'subscribe'; topics: readonly TopicKey[] }
  | { type: 'unsubscribe'; topic: TopicKey }
  | { type: 'ping' }
  /** Pass the frame to the subscribers of its topic. */
  | { type: 'deliver'; frame: LiveFrame };

export interface Step {
  state: ConnectionState;
  effects: ConnectionEffect[];
}

export function startConnection(now: number): Step {
  return {
    state: {
      status: 'connecting',
      socket: { phase: 'opening', since: now },
      startedAt: now,
      attempt: 0,
      topics: [],
    },
    effects: [{ type: 'connect' }],
  };
}

const stay = (state: ConnectionState): Step => ({ state, effects: [] });
const without = (topics: readonly TopicKey[], topic: TopicKey) => topics.filter((other) => other !== topic);

/** @param now milliseconds by the caller's clock. @param random a number in [0, 1), for the back-off. */
export function stepConnection(
  state: ConnectionState,
  event: ConnectionEvent,
  now: number,
  random: number,
): Step {
  if (state.status === 'stopped') return stay(state);
  switch (event.type) {
    case 'opened':
      return opened(state, now);
    case 'closed':
      return state.socket.phase === 'waiting' ? stay(state) : lost(state, now, random);
    case 'garbled':
      return state.socket.phase === 'waiting' ? stay(state) : lost(state, now, random, true);
    case 'frame':
      return frameArrived(state, event.frame, now);
    case 'subscribe':
      return subscribe(state, event.topic);
    case 'unsubscribe':
      return unsubscribe(state, event.topic);
    case 'refresh':
      return refresh(state, event.topic);
    case 'tick':
      return tick(state, now, random);
    case 'nudge':
      return state.socket.phase === 'waiting' ? reopen(state, now) : stay(state);
    case 'stop':
      return {
        state: { status: 'stopped', topics: [] },
        effects: state.socket.phase === 'waiting' ? [] : [{ type: 'disconnect' }],
      };
  }
}

type Running = Exclude<ConnectionState, { status: 'stopped' }>;
type Broken = Exclude<Running, { status: 'live' }>;

function opened(state: Running, now: number): Step {
  if (state.status === 'live' || state.socket.phase !== 'opening') return stay(state);
  return {
    state: { ...state, socket: { phase: 'open', since: now, heardAt: now, pingedAt: null } },
    // Without a topic, the first frame is the answer to a ping.
    effects: [state.topics.length > 0 ? { type: 'subscribe', topics: state.topics } : { type: 'ping' }],
  };
}

/** The socket is lost: keep the data and retry after a delay. @param hangUp the socket is still open, so close it */
function lost(state: Running, now: number, random: number, hangUp = false): Step {
  const settled = state.status === 'live' && now - state.socket.since >= SETTLED_AFTER_MS;
  const attempt = settled ? 1 : state.attempt + 1;
  const socket: SocketPhase = { phase: 'waiting', retryAt: now + backOffDelay(attempt, random) };
  const effects: ConnectionEffect[] = hangUp ? [{ type: 'disconnect' }] : [];
  const { topics } = state;
  if (state.status === 'stale') return { state: { ...state, socket, attempt }, effects };
  const since =
    state.status === 'live'
      ? state.socket.heardAt
      : state.status === 'connecting'
        ? state.startedAt
        : state.since;
  return { state: aged({ status: 'reconnecting', socket, since, attempt, topics }, now), effects };
}

/** Changes `reconnecting` to `stale` after a while. */
function aged(state: Broken, now: number): Broken {
  if (state.status !== 'reconnecting' || now - state.since < STALE_AFTER_MS) return state;
  return { ...state, status: 'stale' };
}

function reopen(state: Running, now: number): Step {
  if (state.status === 'live') return stay(state);
  return {
    state: aged({ ...state, socket: { phase: 'opening', since: now } }, now),
    effects: [{ type: 'connect' }],
  };
}

function frameArrived(state: Running, frame: LiveFrame, now: number): Step {
  if (state.socket.phase !== 'open') return stay(state);
  const socket = { ...state.socket, heardAt: now, pingedAt: null };
  const { topics } = state;
  const follows = state.status === 'live' && frame.epoch === state.epoch && frame.n === state.n + 1;
  const first = state.status !== 'live' && frame.n === 1;
  const hole = !(follows || first);
  // After a new socket or a gap, no topic has a base.
  const awaitingBefore = state.status === 'live' && !hole ? state.awaiting : topics;
  const topic = frameTopic(frame);
  const wanted = topic !== null && topics.includes(topic);
  const usable = wanted && (startsTopic(frame) || !awaitingBefore.includes(topic));
  const awaiting = usable ? without(awaitingBefore, topic) : awaitingBefore;
  const effects: ConnectionEffect[] = [];
  if (hole && awaiting.length > 0) effects.push({ type: 'subscribe', topics: awaiting });
  if (usable) effects.push({ type: 'deliver', frame });
  return {
    state: {
      status: 'live',
      socket,
      epoch: frame.epoch,
      n: frame.n,
      awaiting,
      offsetMs: frame.now - now,
      attempt: state.attempt,
      topics,
    },
    effects,
  };
}

function subscribe(state: Running, topic: TopicKey): Step {
  if (state.topics.includes(topic)) return stay(state);
  const topics = [...state.topics, topic];
  const effects: ConnectionEffect[] =
    state.socket.phase === 'open' ? [{ type: 'subscribe', topics: [topic] }] : [];
  if (state.status === 'live') {
    return { state: { ...state, topics, awaiting: [...state.awaiting, topic] }, effects };
  }
  return { state: { ...state, topics }, effects };
}

function unsubscribe(state: Running, topic: TopicKey): Step {
  if (!state.topics.includes(topic)) return stay(state);
  const topics = without(state.topics, topic);
  const effects: ConnectionEffect[] = state.socket.phase === 'open' ? [{ type: 'unsubscribe', topic }] : [];
  if (state.status === 'live') {
    return { state: { ...state, topics, awaiting: without(state.awaiting, topic) }, effects };
  }
  return { state: { ...state, topics }, effects };
}

function refresh(state: Running, topic: TopicKey): Step {
  // Without a live connection, no request is needed: the next connection starts with a snapshot.
  if (state.status !== 'live' || !state.topics.includes(topic) || state.awaiting.includes(topic))
    return stay(state);
  return {
    state: { ...state, awaiting: [...state.awaiting, topic] },
    effects: [{ type: 'subscribe', topics: [topic] }],
  };
}

function tick(state: Running, now: number, random: number): Step {
  const { socket } = state;
  if (socket.phase === 'waiting') {
    if (now >= socket.retryAt) return reopen(state, now);
    return stay(state.status === 'live' ? state : aged(state, now));
  }
  const heardAt = socket.phase === 'open' ? socket.heardAt : socket.since;
  if (now - heardAt >= LOST_AFTER_MS) return lost(state, now, random, true);
  if (socket.phase === 'opening' || state.status !== 'live') {
    return stay(state.status === 'live' ? state : aged(state, now));
  }
  if (now - heardAt < PING_AFTER_MS || socket.pingedAt !== null) return stay(state);
  return { state: { ...state, socket: { ...state.socket, pingedAt: now } }, effects: [{ type: 'ping' }] };
}

/** When the machine needs its next tick, milliseconds since the epoch. Null: no tick is needed. */
export function nextTickAt(state: ConnectionState): number | null {
  if (state.status === 'stopped') return null;
  const times: number[] = [];
  const { socket } = state;
  if (socket.phase === 'waiting') times.push(socket.retryAt);
  else if (socket.phase === 'opening') times.push(socket.since + LOST_AFTER_MS);
  else {
    times.push(socket.heardAt + LOST_AFTER_MS);
    if (state.status === 'live' && socket.pingedAt === null) times.push(socket.heardAt + PING_AFTER_MS);
  }
  if (state.status === 'reconnecting') times.push(state.since + STALE_AFTER_MS);
  return Math.min(...times);
}

/** Status that the badge shows. */
export type LiveStatus =
  | { status: 'connecting' }
  /** `offsetMs`: the server's clock minus the local clock. Ages are calculated with the server's clock. */
  | { status: 'live'; offsetMs: number }
  /** `since`: time of the last valid data, milliseconds by the local clock. */
  | { status: 'reconnecting'; since: number; retryAt: number | null }
  | { status: 'stale'; since: number; retryAt: number | null }
  | { status: 'stopped' };

export function liveStatus(state: ConnectionState): LiveStatus {
  switch (state.status) {
    case 'connecting':
    case 'stopped':
      return { status: state.status };
    case 'live':
      return { status: 'live', offsetMs: state.offsetMs };
    case 'reconnecting':
    case 'stale':
      return {
        status: state.status,
        since: state.since,
        retryAt: state.socket.phase === 'waiting' ? state.socket.retryAt : null,
      };
  }
}

/** Changes of the clock offset below this many milliseconds are network jitter. */
const OFFSET_JITTER_MS = 1_000;

export function sameStatus(a: LiveStatus, b: LiveStatus): boolean {
  if (a.status === 'live' && b.status === 'live') return Math.abs(a.offsetMs - b.offsetMs) < OFFSET_JITTER_MS;
  if (a.status === 'reconnecting' || a.status === 'stale') {
    return a.status === b.status && a.since === b.since && a.retryAt === b.retryAt;
  }
  return a.status === b.status;
}
