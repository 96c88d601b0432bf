/**
 * Delivers one queue: drives the connection's state machine with a socket and timers, says hello, sends items in frames
 * and settles acknowledged ones. A bounded window of unacknowledged items is in flight; while it is full, new items wait
 * for the next frame.
 */

import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import type { Ack, Refusal, Welcome } from '../../../core/protocol/messages';
import { parseServerMessage } from '../../../core/protocol/parse-server-message';
import { normalizeRanges } from '../../../core/protocol/ranges';
import { PROTOCOL_VERSION } from '../../../core/protocol/version';
import type { OpenedQueue } from '../queue/open-queue';
import type { QueueRecord } from '../queue/segment';
import type { ClientSocket, Connect } from './connect-websocket';
import {
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  type ConnectionTiming,
  transition,
} from './connection-state';

export interface QueueConnectionOptions {
  opened: OpenedQueue;
  token: string | null;
  connect: Connect;
  now(): number;
  random(): number;
  timing: ConnectionTiming;
  onState(state: ConnectionState, welcome: Welcome | null): void;
  onRefused(refusal: Refusal, record: QueueRecord | null): void;
  onSettled(result: { items: number; duplicates: number; amended: number }): void;
}

const FRAME_ITEMS = 500;
const FRAME_BYTES = 256 * 1024;
const WINDOW_ITEMS = 4_000;
const WINDOW_BYTES = 2 * 1024 * 1024;
/** Silence after which the connection counts as lost: more than two missed pings. */
const SILENCE_MS = PROTOCOL_LIMITS.pingIntervalMs * 2.5;

export class QueueConnection {
  private state: ConnectionState = { name: 'idle' };
  private socket: ClientSocket | null = null;
  private timer: NodeJS.Timeout | null = null;
  private wakeUp: NodeJS.Immediate | null = null;
  private welcome: Welcome | null = null;
  /** Highest seq sent on this socket. */
  private sentThrough = 0;
  private windowItems = 0;
  private windowBytes = 0;
  private lastHeardAt = 0;
  private keptAlive = false;
  /** Items up to this seq are sent one per frame. */
  private isolateThrough = 0;
  /** The only item in flight while isolating. */
  private suspect: QueueRecord | null = null;

  constructor(private readonly options: QueueConnectionOptions) {}

  start(): void {
    this.dispatch({ type: 'start' });
  }

  stop(): void {
    this.dispatch({ type: 'stop' });
    if (this.wakeUp) clearImmediate(this.wakeUp);
  }

  /** Retry now. */
  hurry(): void {
    this.dispatch({ type: 'hurry' });
  }

  /** Send new items; items of one tick share a frame. */
  wake(): void {
    if (this.wakeUp || this.state.name !== 'ready') return;
    this.wakeUp = setImmediate(() => {
      this.wakeUp = null;
      this.sendItems();
    });
  }

  /** Detect a connection that was lost silently; called periodically. */
  checkSilence(now: number): void {
    if (this.state.name === 'ready' && now - this.lastHeardAt > SILENCE_MS)
      this.dispatch({ type: 'timeout' });
  }

  keepAlive(on: boolean): void {
    this.keptAlive = on;
    this.socket?.keepAlive(on);
    if (on) this.timer?.ref();
    else this.timer?.unref();
  }

  private dispatch(event: ConnectionEvent): void {
    const { now, random, timing } = this.options;
    const before = this.state;
    const { state, effects } = transition(before, event, { now: now(), random: random(), timing });
    this.state = state;
    for (const effect of effects) this.run(effect);
    if (state !== before && state.name !== before.name) this.options.onState(state, this.welcome);
  }

  private run(effect: ConnectionEffect): void {
    switch (effect.type) {
      case 'open':
        this.open();
        return;
      case 'say_hello':
        this.sayHello();
        return;
      case 'send_items':
        this.sendItems();
        return;
      case 'isolate':
        this.isolate();
        return;
      case 'drop_socket':
        this.socket?.drop();
        this.socket = null;
        return;
      case 'set_timer':
        this.clearTimer();
        this.timer = setTimeout(() => this.dispatch({ type: 'timeout' }), effect.ms);
        if (!this.keptAlive) this.timer.unref();
        return;
      case 'clear_timer':
        this.clearTimer();
        return;
    }
  }

  private clearTimer(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private open(): void {
    const { opened, token, connect } = this.options;
    const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
    // Ignore late events of an earlier socket.
    let current: ClientSocket | null = null;
    const ifCurrent = (act: () => void) => {
      if (current === null || current === this.socket) act();
    };
    current = connect(
      { url: opened.identity.url, headers },
      {
        onOpen: () => ifCurrent(() => this.dispatch({ type: 'opened' })),
        onHeard: () => ifCurrent(() => this.hear()),
        onMessage: (text) => ifCurrent(() => this.read(text)),
        onClose: (code, detail) => ifCurrent(() => this.dispatch({ type: 'closed', code, detail })),
      },
    );
    this.socket = current;
    current.keepAlive(this.keptAlive);
  }

  private hear(): void {
    this.lastHeardAt = this.options.now();
  }

  private sayHello(): void {
    const { stream, identity } = this.options.opened;
    const hello = {
      type: 'hello',
      v: PROTOCOL_VERSION,
      project: identity.project,
      runner: identity.runner,
      stream,
      source: identity.source,
      now: this.options.now(),
    };
    this.socket?.send(JSON.stringify(hello));
  }

  private read(text: string): void {
    const message = parseServerMessage(text);
    if (message?.type === 'welcome') this.resume(message);
    else if (message?.type === 'ack') this.settle(message);
    // An error is followed by a close; other messages are of a later version.
  }

  private resume(welcome: Welcome): void {
    if (this.state.name !== 'greeting') return;
    this.welcome = welcome;
    this.sentThrough = 0;
    this.windowItems = 0;
    this.windowBytes = 0;
    this.hear();
    const { items } = this.options.opened.queue.settle(normalizeRanges(welcome.received));
    if (items > 0) this.options.onSettled({ items, duplicates: 0, amended: 0 });
    this.dispatch({ type: 'welcomed' });
  }

  private settle(ack: Ack): void {
    const { queue } = this.options.opened;
    for (const refusal of ack.refused) {
      this.options.onRefused(refusal, refusal.seq === null ? null : queue.find(refusal.seq));
    }
    const { items, bytes } = queue.settle(normalizeRanges(ack.settled));
    this.windowItems = Math.max(0, this.windowItems - items);
    this.windowBytes = Math.max(0, this.windowBytes - bytes);
    this.suspect = null;
    this.dispatch({ type: 'acknowledged' });
    this.options.onSettled({ items, duplicates: ack.duplicate.length, amended: ack.amended.length });
    this.sendItems();
  }

  private sendItems(): void {
    if (this.state.name !== 'ready' || !this.socket) return;
    const isolating = this.sentThrough < this.isolateThrough;
    const limits = this.welcome?.limits;
    const maxItems = isolating ? 1 : Math.min(FRAME_ITEMS, limits?.maxItemsPerFrame ?? FRAME_ITEMS);
    const maxBytes = Math.min(FRAME_BYTES, (limits?.maxFrameBytes ?? FRAME_BYTES) / 2);
    while (this.windowItems < (isolating ? 1 : WINDOW_ITEMS) && this.windowBytes < WINDOW_BYTES) {
      const batch = this.options.opened.queue.next(this.sentThrough, maxItems, maxBytes, () =>
        this.sendItems(),
      );
      const last = batch.at(-1);
      if (!last) return;
      this.suspect = isolating ? last : null;
      this.sentThrough = last.seq;
      this.windowItems += batch.length;
      for (const record of batch) this.windowBytes += record.json.length;
      this.socket.send(`[${batch.map((record) => record.json).join(',')}]`);
    }
  }

  /** The server could not read a frame: isolate its items, or drop the only one. */
  private isolate(): void {
    const { suspect, sentThrough } = this;
    this.isolateThrough = Math.max(this.isolateThrough, sentThrough);
    if (!suspect) return;
    this.suspect = null;
    const reason = 'The server closed the connection when it read this item.';
    this.options.onRefused(
      { seq: suspect.seq, index: 0, code: 'invalid_message', field: '', reason },
      suspect,
    );
    const { items } = this.options.opened.queue.settle([[suspect.seq, suspect.seq]]);
    this.options.onSettled({ items, duplicates: 0, amended: 0 });
  }
}
