/**
 * A live connection that reconnects with back-off, and the topics subscribed to on it. The old data stays while it is
 * lost. A long silence, an unreadable frame, a gap in the frames' numbers or another epoch ends a socket.
 */
import { type LiveFrame, type LiveRequest, type LiveTopic, readFrame, topicKey } from './protocol';

/** Silence after which the client sends a ping, milliseconds. */
const PING_AFTER_MS = 15_000;
/** Silence after which the socket counts as lost, milliseconds. */
const LOST_AFTER_MS = 35_000;
/** Time without a connection after which the data is stale, milliseconds. */
const STALE_AFTER_MS = 10_000;
/** A connection that lasted this long resets the back-off, milliseconds. */
const SETTLED_AFTER_MS = 5_000;
/** Reconnect delays: full jitter under a doubling ceiling, so that a thousand browsers do not return at once. */
const BASE_DELAY_MS = 500;
const LONGEST_DELAY_MS = 15_000;
/** Smaller clock differences are network jitter, milliseconds. */
const OFFSET_JITTER_MS = 1_000;

export type LiveStatus =
  | { status: 'connecting' }
  /** `offsetMs`: the server's clock minus ours; ages are calculated with the server's clock. */
  | { status: 'live'; offsetMs: number }
  /** `since`: the time of the last valid data, milliseconds by our clock. Stale: lost for a while. */
  | { status: 'reconnecting' | 'stale'; since: number };

interface LiveConnectionOptions {
  /** Opens a socket to the feed. */
  open(): WebSocket;
  onStatus(): void;
  onFrame(frame: LiveFrame): void;
}

export type LiveConnection = ReturnType<typeof createLiveConnection>;

/** Connects at once. */
export function createLiveConnection({ open, onStatus, onFrame }: LiveConnectionOptions) {
  const topics = new Map<string, { topic: LiveTopic; subscribers: number }>();
  let status: LiveStatus = { status: 'connecting' };
  let socket: WebSocket | null = null;
  let openedAt = 0;
  /** Time of the last frame; of the start before the first. */
  let heardAt = Date.now();
  let attempts = 0;
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let staleTimer: ReturnType<typeof setTimeout> | undefined;

  function show(next: LiveStatus): void {
    const isSame =
      next.status === 'live' && status.status === 'live'
        ? Math.abs(next.offsetMs - status.offsetMs) < OFFSET_JITTER_MS
        : next.status === status.status;
    if (isSame) return;
    status = next;
    onStatus();
  }

  function send(request: LiveRequest): void {
    if (socket !== null && socket.readyState === socket.OPEN) socket.send(JSON.stringify(request));
  }

  function awaitFrame(): void {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => {
      send({ type: 'ping', at: Date.now() });
      silenceTimer = setTimeout(lose, LOST_AFTER_MS - PING_AFTER_MS);
    }, PING_AFTER_MS);
  }

  function connect(): void {
    clearTimeout(retryTimer);
    const own = open();
    let last: LiveFrame | null = null;
    socket = own;
    openedAt = Date.now();
    awaitFrame();
    own.onopen = () => {
      for (const { topic } of topics.values()) send({ type: 'subscribe', ...topic });
      // The answer is the first frame.
      if (topics.size === 0) send({ type: 'ping', at: Date.now() });
    };
    own.onmessage = ({ data }) => {
      if (own !== socket) return;
      const frame = readFrame(String(data));
      const follows = last === null ? frame?.n === 1 : frame?.n === last.n + 1 && frame.epoch === last.epoch;
      if (frame === null || !follows) return lose();
      last = frame;
      heardAt = Date.now();
      clearTimeout(staleTimer);
      awaitFrame();
      show({ status: 'live', offsetMs: frame.now - heardAt });
      onFrame(frame);
    };
    // An error is always followed by a close.
    own.onclose = () => {
      if (own === socket) lose();
    };
  }

  /** Drops the socket and retries after a delay. Events of the dropped socket are ignored. */
  function lose(): void {
    const dropped = socket;
    socket = null;
    dropped?.close();
    clearTimeout(silenceTimer);
    const isSettled = status.status === 'live' && Date.now() - openedAt >= SETTLED_AFTER_MS;
    attempts = isSettled ? 1 : attempts + 1;
    const ceilingMs = Math.min(LONGEST_DELAY_MS, BASE_DELAY_MS * 2 ** (attempts - 1));
    retryTimer = setTimeout(connect, ceilingMs * Math.random());
    showLost();
  }

  function showLost(): void {
    const leftMs = heardAt + STALE_AFTER_MS - Date.now();
    show({ status: leftMs > 0 ? 'reconnecting' : 'stale', since: heardAt });
    clearTimeout(staleTimer);
    if (leftMs > 0) staleTimer = setTimeout(showLost, leftMs);
  }

  connect();
  return {
    get status() {
      return status;
    },
    /** Each subscriber gets a snapshot. Returns a function that unsubscribes. */
    subscribe(topic: LiveTopic): () => void {
      const key = topicKey(topic);
      const entry = topics.get(key) ?? { topic, subscribers: 0 };
      topics.set(key, entry);
      entry.subscribers += 1;
      send({ type: 'subscribe', ...topic });
      return () => {
        entry.subscribers -= 1;
        if (entry.subscribers > 0) return;
        topics.delete(key);
        send({ type: 'unsubscribe', ...topic });
      };
    },
    /** Retry at once when waiting: the network is back, or the page is visible again. */
    nudge() {
      if (socket === null) connect();
    },
    /** Close permanently. */
    stop() {
      const dropped = socket;
      socket = null;
      for (const timer of [silenceTimer, retryTimer, staleTimer]) clearTimeout(timer);
      dropped?.close();
    },
  };
}
