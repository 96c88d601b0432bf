/**
 * Runs the connection's state machine with a socket and timers, which are passed in. The connection counts the
 * subscribers of each topic. Events of a dropped socket are ignored, so a slow close cannot affect the next socket.
 */
import {
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  type LiveStatus,
  liveStatus,
  nextTickAt,
  sameStatus,
  startConnection,
  stepConnection,
} from './connection-state';
import {
  type LiveFrame,
  type LiveRequest,
  type LiveTopic,
  readFrame,
  type TopicKey,
  topicKey,
  topicOf,
} from './protocol';

export interface LiveSocket {
  send(text: string): void;
  close(): void;
}

export interface SocketHandlers {
  onOpen(): void;
  onMessage(text: string): void;
  /** Called at most once, even when the socket never opened. */
  onClose(): void;
}

export interface LiveConnectionOptions {
  url: string;
  /** Open a socket, as `connectWebSocket` does in a browser. An exception counts as a close. */
  connect(url: string, handlers: SocketHandlers): LiveSocket;
  now(): number;
  random(): number;
  /** Run `task` once after `delayMs`. Returns a function that cancels it. */
  schedule(task: () => void, delayMs: number): () => void;
  onState(status: LiveStatus): void;
  /** Called with each applicable frame of a subscribed topic: a snapshot, or a delta after a snapshot. */
  onFrame(frame: LiveFrame): void;
}

export interface LiveConnection {
  readonly status: LiveStatus;
  subscribe(topic: LiveTopic): () => void;
  refresh(topic: LiveTopic): void;
  /** Retry immediately if waiting, because the network is back or the page is visible again. */
  nudge(): void;
  /** Close permanently. */
  stop(): void;
}

export function createLiveConnection(options: LiveConnectionOptions): LiveConnection {
  const { now, random } = options;
  const lookers = new Map<TopicKey, number>();
  let socket: LiveSocket | null = null;
  let current: object | null = null;
  let cancelTimer: (() => void) | null = null;
  const first = startConnection(now());
  let state: ConnectionState = first.state;
  let shown = liveStatus(state);

  function apply(event: ConnectionEvent): void {
    const step = stepConnection(state, event, now(), random());
    state = step.state;
    for (const effect of step.effects) run(effect);
    arm();
    const status = liveStatus(state);
    if (sameStatus(shown, status)) return;
    shown = status;
    options.onState(status);
  }

  function arm(): void {
    cancelTimer?.();
    const at = nextTickAt(state);
    cancelTimer =
      at === null ? null : options.schedule(() => apply({ type: 'tick' }), Math.max(0, at - now()));
  }

  function run(effect: ConnectionEffect): void {
    switch (effect.type) {
      case 'connect':
        open();
        break;
      case 'disconnect': {
        const gone = socket;
        socket = null;
        current = null;
        gone?.close();
        break;
      }
      case 'subscribe':
        for (const topic of effect.topics) send({ type: 'subscribe', ...topicOf(topic) });
        break;
      case 'unsubscribe':
        send({ type: 'unsubscribe', ...topicOf(effect.topic) });
        break;
      case 'ping':
        send({ type: 'ping', at: now() });
        break;
      case 'deliver':
        options.onFrame(effect.frame);
        break;
    }
  }

  function open(): void {
    const token = {};
    current = token;
    const mine = (event: ConnectionEvent) => {
      if (current === token) apply(event);
    };
    try {
      socket = options.connect(options.url, {
        onOpen: () => mine({ type: 'opened' }),
        onMessage: (text) => {
          const frame = readFrame(text);
          mine(frame ? { type: 'frame', frame } : { type: 'garbled' });
        },
        onClose: () => mine({ type: 'closed' }),
      });
    } catch {
      // Deferred, because the machine is not re-entrant.
      options.schedule(() => mine({ type: 'closed' }), 0);
    }
  }
  function send(request: LiveRequest): void {
    socket?.send(JSON.stringify(request));
  }

  for (const effect of first.effects) run(effect);
  arm();

  return {
    get status() {
      return shown;
    },
    subscribe(topic) {
      const key = topicKey(topic);
      const others = lookers.get(key) ?? 0;
      lookers.set(key, others + 1);
      apply({ type: others === 0 ? 'subscribe' : 'refresh', topic: key });
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const remaining = (lookers.get(key) ?? 1) - 1;
        if (remaining > 0) {
          lookers.set(key, remaining);
          return;
        }
        lookers.delete(key);
        apply({ type: 'unsubscribe', topic: key });
      };
    },
    refresh(topic) {
      apply({ type: 'refresh', topic: topicKey(topic) });
    },
    nudge: () => apply({ type: 'nudge' }),
    stop: () => apply({ type: 'stop' }),
  };
}
