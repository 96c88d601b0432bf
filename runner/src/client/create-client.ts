/**
 * The runner client. It owns the process's queue, the connection that drains it, and adopted queues. Sending returns at
 * once and never throws, whatever is wrong with disk, network or server.
 */
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import type { Refusal } from '../../../core/protocol/messages';
import { HEX_64 } from '../../../core/settings/connection-file';
import { type OpenedQueue, openOwnQueue } from '../queue/open-queue';
import { HEARTBEAT_MS } from '../queue/queue-lock';
import type { QueueRecord } from '../queue/segment';
import { AdoptedQueues } from './adopted-queues';
import type {
  BarographClient,
  ClientOptions,
  ClientState,
  ClientStats,
  FlushResult,
  HandOver,
  ItemInput,
  RefusedItem,
} from './client-types';
import { connectProven } from './connect-proven';
import { connectWebSocket, ingestAddress } from './connect-websocket';
import { type ConnectionState, DEFAULT_TIMING } from './connection-state';
import { createRunnerSession, type HandOverContext, handOver } from './hand-over';
import { QueueConnection } from './queue-connection';

const DEFAULT_QUEUE_BYTES = 64 * 1024 * 1024;
const MIN_QUEUE_BYTES = 1024 * 1024;
/** Longest time before an item is synced to the disk. */
const SYNC_MS = 1_000;
const MAX_REPORTED_REFUSALS = 1_000;

/** @throws TypeError for options that cannot work, as an invalid address or an empty project. */
export function createClient(options: ClientOptions): BarographClient {
  return new Client(options);
}

class Client implements BarographClient {
  private readonly own: OpenedQueue;
  private readonly connection: QueueConnection;
  private readonly adopted: AdoptedQueues;
  private state: ClientState = { status: 'connecting' };
  private readonly now: () => number;
  private readonly url: string;
  private readonly ticker: NodeJS.Timeout;
  private readonly waiters = new Set<() => void>();
  private nextHeartbeatAt: number;
  private refusedSinceFlush: RefusedItem[] = [];
  private readonly counts = { acknowledged: 0, duplicates: 0, amended: 0, refused: 0 };
  private closing: Promise<FlushResult> | null = null;
  private holders = 0;
  private readonly handOverContext: HandOverContext;

  constructor(private readonly options: ClientOptions) {
    checkName('project', options.project);
    checkName('runner.name', options.runner.name);
    checkToken(options.token);
    checkSecret(options.secret);
    this.url = ingestAddress(options.url);
    this.now = options.now ?? Date.now;
    const { runner, project, source = 'sdk' } = options;
    this.own = openOwnQueue(
      options.queueFolder,
      { url: this.url, project, runner, source },
      this.queueSettings(),
    );
    this.handOverContext = {
      queue: this.own.queue,
      now: this.now,
      content: options.content ?? true,
      refuse: (refused) => this.refuse(refused),
    };
    this.connection = this.connect(this.own, (state, welcome) => this.changeState(state, welcome));
    this.nextHeartbeatAt = this.now() + HEARTBEAT_MS;
    this.ticker = setInterval(() => this.tick(), SYNC_MS);
    this.ticker.unref();
    this.connection.start();
    this.adopted = new AdoptedQueues({
      ...this.queueSettings(),
      queueFolder: options.queueFolder,
      url: this.url,
      connect: (opened) => this.connect(opened, () => undefined),
      onAdopted: (items) => this.log('info', 'Draining a queue of another process.', { items }),
    });
    this.adopted.adopt(this.now());
  }

  session(key: string, start?: Parameters<BarographClient['session']>[1]) {
    const { token, project, content = true } = this.options;
    const destination = { url: this.options.url, token, project, content };
    const session = createRunnerSession(
      key,
      (build) => this.takeOver(build),
      () => destination,
    );
    if (start) session.start(start);
    return session;
  }

  send(input: ItemInput): HandOver {
    return this.takeOver(() => input);
  }

  private takeOver(build: () => unknown): HandOver {
    if (this.closing) {
      const reason = 'The client is closed.';
      this.refuse({ seq: null, session: null, type: null, code: 'client_closed', field: '', reason });
      return null;
    }
    const seq = handOver(build, this.handOverContext);
    this.connection.wake();
    return seq;
  }

  async flush(timeoutMs = 10_000): Promise<FlushResult> {
    const through = this.own.queue.nextSeq - 1;
    const delivered = await this.waitFor(() => this.own.queue.firstOutstanding() > through, timeoutMs);
    const outstanding = this.own.queue.outstanding();
    const refused = this.refusedSinceFlush;
    this.refusedSinceFlush = [];
    return { delivered, outstanding: delivered ? [] : outstanding, queued: this.own.queue.pending, refused };
  }

  drain(maxBytes: number, timeoutMs = 60_000): Promise<boolean> {
    const { queue } = this.own;
    return this.waitFor(() => queue.pending === 0 || queue.bytes <= maxBytes, timeoutMs);
  }

  close(timeoutMs = 5_000): Promise<FlushResult> {
    // The backoff may be longer than the timeout: retry now.
    if (!this.closing && this.own.queue.pending > 0) this.connection.hurry();
    this.closing ??= this.flush(timeoutMs).then((result) => {
      clearInterval(this.ticker);
      this.connection.stop();
      this.own.queue.close();
      this.adopted.close();
      this.announce({ status: 'closed' });
      this.wakeWaiters();
      return result;
    });
    return this.closing;
  }

  stats(): ClientStats {
    const { queue, stream } = this.own;
    return {
      state: this.state,
      stream,
      queued: queue.pending,
      queuedBytes: queue.bytes,
      ...this.counts,
      dropped: queue.dropped,
      durable: queue.durable,
      adopted: this.adopted.count,
    };
  }

  private queueSettings() {
    const maxBytes = Math.max(MIN_QUEUE_BYTES, this.options.maxQueueBytes ?? DEFAULT_QUEUE_BYTES);
    return {
      maxBytes,
      now: this.now(),
      warn: (message: string, fields: Record<string, unknown>) => this.log('warn', message, fields),
    };
  }

  private connect(
    opened: OpenedQueue,
    onState: ConstructorParameters<typeof QueueConnection>[0]['onState'],
  ): QueueConnection {
    const { token, secret = null, connect = connectWebSocket } = this.options;
    return new QueueConnection({
      opened,
      token,
      connect: secret === null ? connect : connectProven(secret, connect),
      now: this.now,
      random: this.options.random ?? Math.random,
      timing: { ...DEFAULT_TIMING, ...this.options.timing },
      onState,
      onRefused: (refusal, record) => this.refuse(describeRefusal(refusal, record)),
      onSettled: ({ items, duplicates, amended }) => {
        this.counts.acknowledged += items;
        this.counts.duplicates += duplicates;
        this.counts.amended += amended;
        this.wakeWaiters();
      },
    });
  }

  private tick(): void {
    const now = this.now();
    this.own.queue.sync();
    this.connection.checkSilence(now);
    this.adopted.tick(now);
    if (now < this.nextHeartbeatAt) return;
    this.nextHeartbeatAt = now + HEARTBEAT_MS;
    this.own.queue.heartbeat(now);
    this.adopted.heartbeat(now);
    this.adopted.adopt(now);
  }

  private changeState(
    state: ConnectionState,
    welcome: Parameters<ConstructorParameters<typeof QueueConnection>[0]['onState']>[1],
  ): void {
    if (state.name === 'connecting') this.announce({ status: 'connecting' });
    if (state.name === 'ready' && welcome) {
      const { name, version } = welcome.server;
      this.announce({ status: 'connected', server: { name, version } });
    }
    if (state.name === 'waiting') {
      const { reason, detail, retryAt } = state;
      if (reason === 'unauthorized' || reason === 'unsupported_version') this.log('warn', detail, { reason });
      this.announce({ status: 'waiting', reason, detail, retryAt });
    }
  }

  private announce(state: ClientState): void {
    this.state = state;
    this.safely(() => this.options.onState?.(state));
  }

  private refuse(refused: RefusedItem): void {
    this.counts.refused += 1;
    if (this.refusedSinceFlush.length < MAX_REPORTED_REFUSALS) this.refusedSinceFlush.push(refused);
    this.log('warn', 'An item was refused.', { ...refused });
    this.safely(() => this.options.onRefused?.(refused));
  }

  private log(level: 'info' | 'warn', message: string, fields: Record<string, unknown>): void {
    this.safely(() => this.options.logger?.[level](message, fields));
  }

  /** The program's callbacks may throw. */
  private safely(act: () => void): void {
    try {
      act();
    } catch {
      // The client must go on.
    }
  }

  private wakeWaiters(): void {
    for (const check of [...this.waiters]) check();
  }

  /** Keeps the process alive while it waits, so that the awaited promise settles. */
  private waitFor(reached: () => boolean, timeoutMs: number): Promise<boolean> {
    if (reached()) return Promise.resolve(true);
    this.hold(1);
    return new Promise((resolve) => {
      const finish = (result: boolean) => {
        clearTimeout(timer);
        this.waiters.delete(check);
        this.hold(-1);
        resolve(result);
      };
      const check = () => {
        if (reached()) finish(true);
        else if (this.state.status === 'closed') finish(false);
      };
      const timer = setTimeout(() => finish(reached()), timeoutMs);
      this.waiters.add(check);
    });
  }

  private hold(change: 1 | -1): void {
    this.holders += change;
    this.connection.keepAlive(this.holders > 0);
  }
}

function checkName(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || value.length > PROTOCOL_LIMITS.maxKeyLength) {
    throw new TypeError(
      `The client's ${name} must be a text of 1 to ${PROTOCOL_LIMITS.maxKeyLength} characters.`,
    );
  }
}

function checkToken(token: string | null): void {
  if (token !== null && !/^[!-~]{1,200}$/.test(token)) {
    throw new TypeError('The token must be one word of at most 200 printable characters.');
  }
}

function checkSecret(secret: string | null | undefined): void {
  if (secret !== undefined && secret !== null && !HEX_64.test(secret)) {
    throw new TypeError('The secret must be 64 hexadecimal digits, as in connection.json.');
  }
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, PROTOCOL_LIMITS.maxKeyLength) : null;
}

function describeRefusal(refusal: Refusal, record: QueueRecord | null): RefusedItem {
  const { seq, code, field, reason } = refusal;
  const item = record ? (JSON.parse(record.json) as { session?: unknown; type?: unknown }) : {};
  return { seq, session: nameOf(item.session), type: nameOf(item.type), code, field, reason };
}
