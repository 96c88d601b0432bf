/**
 * Delivers one queue: connects, says hello, sends items in frames, settles acknowledged items, and reconnects after a
 * pause. The number and size of unacknowledged items in flight are limited.
 */
import { CLOSE } from '../../../core/protocol/close-codes';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import type { Ack, CommandMessage, Refusal, Welcome } from '../../../core/protocol/messages';
import { parseServerMessage } from '../../../core/protocol/parse-server-message';
import { inRanges, normalizeRanges } from '../../../core/protocol/ranges';
import { PROTOCOL_VERSION } from '../../../core/protocol/version';
import type { DurableQueue } from '../queue/durable-queue';
import type { QueueRecord } from '../queue/queue-files';
import type { ClientOptions, ClientState, DownReason } from './client-types';
import type { ClientSocket, SocketHandlers } from './connect-server';

export interface QueueConnectionOptions {
  queue: DurableQueue;
  /** What operators may ask of the runner. */
  commands?: ClientOptions['commands'];
  onCommand?(command: CommandMessage): void;
  connect(handlers: SocketHandlers): ClientSocket;
  now(): number;
  timing: ClientOptions['timing'];
  onState(state: ClientState): void;
  onRefused(refusal: Refusal, record: QueueRecord | undefined): void;
  onSettled(result: { items: number; duplicates: number; amended: number }): void;
}

const DEFAULT_TIMING = {
  /** First backoff, doubled with each attempt. */
  baseMs: 250,
  /** Longest backoff. */
  capMs: 30_000,
  /** Backoff for a wrong token or another version. */
  slowMs: 30_000,
  /** Timeout of the connect, and then of the welcome. */
  patienceMs: 15_000,
};
const FRAME_ITEMS = 500;
const FRAME_BYTES = 256 * 1024;
const WINDOW_ITEMS = 4_000;
const WINDOW_BYTES = 2 * 1024 * 1024;
/** Silence after which the connection counts as lost: more than two missed pings. */
const SILENCE_MS = PROTOCOL_LIMITS.pingIntervalMs * 2.5;
const NO_ANSWER = 'The server did not respond in time.';

const REASONS: Readonly<Record<number, DownReason>> = {
  [CLOSE.unauthorized]: 'unauthorized',
  [CLOSE.forbidden]: 'unauthorized',
  [CLOSE.unsupportedVersion]: 'unsupported_version',
  [CLOSE.badMessage]: 'bad_message',
  [CLOSE.frameTooLarge]: 'bad_message',
  [CLOSE.unavailable]: 'unavailable',
  [CLOSE.rateLimited]: 'unavailable',
  [CLOSE.goingAway]: 'unavailable',
};

export class QueueConnection {
  private phase: 'connecting' | 'greeting' | 'ready' | 'waiting' | 'stopped' = 'connecting';
  /** Failed attempts since the last acknowledgement. A welcome does not reset the count: a close may follow. */
  private attempt = 0;
  private socket: ClientSocket | null = null;
  private timer: NodeJS.Timeout | undefined;
  private wakeUp: NodeJS.Immediate | null = null;
  private limits: Partial<Welcome['limits']> = {};
  private sentThrough = 0;
  private inFlight: QueueRecord[] = [];
  /** Items up to this seq are sent one per frame. */
  private isolateThrough = 0;
  private lastHeardAt = 0;
  private keptAlive = false;
  private mayHurry = false;
  readonly queue: DurableQueue;
  private readonly timing: typeof DEFAULT_TIMING;

  constructor(private readonly options: QueueConnectionOptions) {
    this.queue = options.queue;
    this.timing = { ...DEFAULT_TIMING, ...options.timing };
  }

  start(): void {
    const { connect, onState } = this.options;
    this.phase = 'connecting';
    this.sentThrough = 0;
    this.inFlight = [];
    this.after(this.timing.patienceMs, () => this.goDown('unreachable', NO_ANSWER));
    this.socket = connect({
      onOpen: () => this.sayHello(),
      onHeard: () => {
        this.lastHeardAt = this.options.now();
      },
      onMessage: (text) => this.read(text),
      onClose: (code, detail) => this.goDown(REASONS[code] ?? 'unreachable', detail),
    });
    this.socket.keepAlive(this.keptAlive);
    onState({ status: 'connecting' });
  }

  /** Release socket and queue. */
  stop(): void {
    this.phase = 'stopped';
    clearTimeout(this.timer);
    if (this.wakeUp) clearImmediate(this.wakeUp);
    this.socket?.drop();
    this.queue.close();
  }

  /** Retry now, unless a retry is useless, as after a wrong token or an invalid frame. */
  hurry(): void {
    if (this.phase === 'waiting' && this.mayHurry) this.start();
  }

  /** Send new items; items of one tick share a frame. */
  wake(): void {
    if (this.wakeUp || this.phase !== 'ready') return;
    this.wakeUp = setImmediate(() => {
      this.wakeUp = null;
      this.sendItems();
    });
  }

  /** Detect a connection that was lost silently; called periodically. */
  checkSilence(now: number): void {
    // The clock may be set back.
    this.lastHeardAt = Math.min(this.lastHeardAt, now);
    if (this.phase === 'ready' && now - this.lastHeardAt > SILENCE_MS) this.goDown('unreachable', NO_ANSWER);
  }

  keepAlive(on: boolean): void {
    this.keptAlive = on;
    this.socket?.keepAlive(on);
    if (on) this.timer?.ref();
    else this.timer?.unref();
  }

  private after(ms: number, act: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, ms);
    if (!this.keptAlive) this.timer.unref();
  }

  private goDown(reason: DownReason, detail: string): void {
    this.socket?.drop();
    this.socket = null;
    if (reason === 'bad_message') this.isolate();
    const ms = this.backoffMs(reason);
    this.attempt += 1;
    this.phase = 'waiting';
    this.mayHurry = reason === 'unreachable' || reason === 'unavailable';
    this.after(ms, () => this.start());
    this.options.onState({ status: 'waiting', reason, detail, retryAt: this.options.now() + ms });
  }

  /** Full jitter, so that many clients do not reconnect at the same moment. */
  private backoffMs(reason: DownReason): number {
    const { baseMs, capMs, slowMs } = this.timing;
    const random = Math.random();
    if (reason === 'unauthorized' || reason === 'unsupported_version')
      return Math.round(slowMs * (1 + random));
    return Math.round(random * Math.min(capMs, baseMs * 2 ** Math.min(this.attempt, 30)));
  }

  /** The server could not read a frame: send the frame's items one by one, or drop the only item. */
  private isolate(): void {
    this.isolateThrough = Math.max(this.isolateThrough, this.sentThrough);
    const [suspect, ...others] = this.inFlight;
    if (suspect === undefined || others.length > 0) return;
    const { seq } = suspect;
    const reason = 'The server closed the connection when it read this item.';
    this.options.onRefused({ seq, index: 0, code: 'invalid_message', field: '', reason }, suspect);
    this.settle({ settled: [[seq, seq]], duplicate: [], amended: [] });
  }

  private sayHello(): void {
    const { stream, identity } = this.queue;
    const { url: _, ...about } = identity;
    this.phase = 'greeting';
    this.after(this.timing.patienceMs, () => this.goDown('unreachable', NO_ANSWER));
    const { commands = [] } = this.options;
    const asked = commands.length > 0 ? { commands } : {};
    const queued = this.queue.pending;
    const hello = { type: 'hello', v: PROTOCOL_VERSION, ...about, stream, queued, ...asked };
    this.socket?.send(JSON.stringify({ ...hello, now: this.options.now() }));
  }

  private read(text: string): void {
    const message = parseServerMessage(text);
    if (message?.type === 'welcome' && this.phase === 'greeting') this.resume(message);
    else if (message?.type === 'ack' && this.phase === 'ready') this.acknowledge(message);
    else if (message?.type === 'command' && this.phase === 'ready') this.options.onCommand?.(message);
    // Ignored: errors, because a close follows them, and unknown messages from a later protocol version.
  }

  private resume({ server: { name, version }, limits, received }: Welcome): void {
    clearTimeout(this.timer);
    this.phase = 'ready';
    this.limits = limits;
    this.options.onState({ status: 'connected', server: { name, version } });
    this.settle({ settled: received, duplicate: [], amended: [] });
    this.sendItems();
  }

  private acknowledge(ack: Ack): void {
    this.attempt = 0;
    for (const refusal of ack.refused) {
      const record = this.inFlight.find(({ seq }) => seq === refusal.seq);
      this.options.onRefused(refusal, record);
    }
    this.settle(ack);
    this.sendItems();
  }

  private settle({ settled, duplicate, amended }: Pick<Ack, 'settled' | 'duplicate' | 'amended'>): void {
    const ranges = normalizeRanges(settled);
    this.inFlight = this.inFlight.filter(({ seq }) => !inRanges(ranges, seq));
    const items = this.queue.settle(ranges);
    this.options.onSettled({ items, duplicates: duplicate.length, amended: amended.length });
  }

  private sendItems(): void {
    const { maxItemsPerFrame = FRAME_ITEMS, maxFrameBytes = FRAME_BYTES } = this.limits;
    const maxBytes = Math.min(FRAME_BYTES, maxFrameBytes / 2);
    while (this.phase === 'ready' && !this.isWindowFull()) {
      const isolating = this.sentThrough < this.isolateThrough;
      const maxItems = isolating ? 1 : Math.min(FRAME_ITEMS, maxItemsPerFrame);
      const batch = this.queue.next(this.sentThrough, maxItems, maxBytes);
      const last = batch.at(-1);
      if (last === undefined) return;
      this.sentThrough = last.seq;
      this.inFlight.push(...batch);
      this.socket?.send(`[${batch.map(({ json }) => json).join(',')}]`);
    }
  }

  private isWindowFull(): boolean {
    if (this.inFlight.length === 0) return false;
    const isIsolated = this.sentThrough <= this.isolateThrough;
    const bytes = this.inFlight.reduce((sum, { json }) => sum + json.length, 0);
    return isIsolated || this.inFlight.length >= WINDOW_ITEMS || bytes >= WINDOW_BYTES;
  }
}
