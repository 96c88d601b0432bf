/**
 * The runner client owns the process's queue, the queues adopted from dead processes, and one connection per queue.
 * Sending returns at once and never throws, whatever is wrong with disk, network or server.
 */
import { exceeds } from '../../../core/protocol/code-points';
import { COMMAND_ACTIONS } from '../../../core/protocol/commands';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import type { CommandMessage } from '../../../core/protocol/messages';
import { HEX_64 } from '../../../core/settings/connection-file';
import { guard, messageOf } from '../guard';
import type { DurableQueue } from '../queue/durable-queue';
import { adoptOrphans, openOwnQueue } from '../queue/open-queue';
import { HEARTBEAT_MS } from '../queue/queue-lock';
import type {
  BarographClient,
  ClientOptions,
  ClientSettings,
  ClientState,
  ClientStats,
  FlushResult,
  HandOver,
  ItemInput,
  RefusedItem,
  RunnerCommand,
} from './client-types';
import { connectServer, ingestAddress } from './connect-server';
import { createRunnerSession, handOver, shortText } from './hand-over';
import { QueueConnection } from './queue-connection';

const DEFAULT_QUEUE_BYTES = 64 * 1024 * 1024;
const MIN_QUEUE_BYTES = 1024 * 1024;
/** Longest time before an item is synced to the disk. */
const SYNC_MS = 1_000;
const MAX_REPORTED_REFUSALS = 1_000;

/** @throws TypeError for options that cannot work: no or an invalid address, no folder of the queue, an empty project. */
export function createClient({
  url = '',
  token = null,
  queueFolder = '',
  ...options
}: ClientSettings): BarographClient {
  return new Client({ ...options, url, token, queueFolder });
}

const ignore = () => undefined;

class Client implements BarographClient {
  private readonly own: QueueConnection;
  private adopted: QueueConnection[] = [];
  private state: ClientState = { status: 'connecting' };
  private readonly url: string;
  private readonly now: () => number;
  private readonly ticker: NodeJS.Timeout;
  private readonly waiters = new Set<() => void>();
  private ticks = 0;
  private refusedSinceFlush: RefusedItem[] = [];
  private readonly counts = { acknowledged: 0, duplicates: 0, amended: 0, refused: 0 };
  private readonly commandHandlers = new Map<string, (command: RunnerCommand) => void>();
  private readonly knownCommands = new Set<string>();
  private closing: Promise<FlushResult> | null = null;

  constructor(private readonly options: ClientOptions) {
    checkOptions(options);
    const { queueFolder, runner, project, projectSource, client, source = 'sdk', now = Date.now } = options;
    this.url = ingestAddress(options.url);
    if (queueFolder === '') throw new TypeError('"queueFolder" must be the path of a folder');
    this.now = now;
    const identity = { url: this.url, project, projectSource, client, runner, source };
    const queue = openOwnQueue(queueFolder, identity, this.queueSettings());
    this.own = this.deliver(queue, (state) => this.announce(state), options.commands ?? []);
    this.ticker = setInterval(() => this.tick(), SYNC_MS);
    this.ticker.unref();
    this.own.start();
    this.adopt();
  }

  session(key: string, start?: Parameters<BarographClient['session']>[1]) {
    const { url, token, project, queueFolder, content = true } = this.options;
    const destination = { url, token, project, queueFolder, content };
    const takeOver = (build: () => unknown) => this.takeOver(build);
    const onCommand = (handle: (command: RunnerCommand) => void) => {
      this.commandHandlers.set(key, handle);
      return () => {
        if (this.commandHandlers.get(key) === handle) this.commandHandlers.delete(key);
      };
    };
    const session = createRunnerSession(key, takeOver, { destination: () => destination, onCommand });
    if (start) session.start(start);
    return session;
  }

  send(input: ItemInput): HandOver {
    return this.takeOver(() => input);
  }

  private takeOver(build: () => unknown): HandOver {
    const refuse = (refused: RefusedItem) => this.refuse(refused);
    if (this.closing) {
      const reason = 'The client is closed.';
      refuse({ seq: null, session: null, type: null, code: 'client_closed', field: '', reason });
      return null;
    }
    const { content = true } = this.options;
    const seq = handOver(build, { queue: this.own.queue, now: this.now, content, refuse });
    this.own.wake();
    return seq;
  }

  async flush(timeoutMs = 10_000): Promise<FlushResult> {
    const { queue } = this.own;
    const end = queue.nextSeq;
    const delivered = await this.waitFor(() => (queue.outstanding()[0]?.[0] ?? end) >= end, timeoutMs);
    const refused = this.refusedSinceFlush;
    this.refusedSinceFlush = [];
    return { delivered, outstanding: delivered ? [] : queue.outstanding(), queued: queue.pending, refused };
  }

  drain(maxBytes: number, timeoutMs = 60_000): Promise<boolean> {
    const { queue } = this.own;
    return this.waitFor(() => queue.pending === 0 || queue.bytes <= maxBytes, timeoutMs);
  }

  close(timeoutMs = 5_000): Promise<FlushResult> {
    // The backoff may be longer than the timeout: retry now.
    if (!this.closing && this.own.queue.pending > 0) this.own.hurry();
    this.closing ??= this.flush(timeoutMs).then((result) => {
      clearInterval(this.ticker);
      for (const connection of [this.own, ...this.adopted]) connection.stop();
      this.adopted = [];
      this.announce({ status: 'closed' });
      this.wakeWaiters();
      return result;
    });
    return this.closing;
  }

  stats(): ClientStats {
    const { stream, pending, bytes, dropped, durable } = this.own.queue;
    const items = this.adopted.reduce((sum, { queue }) => sum + queue.pending, 0);
    return {
      state: this.state,
      stream,
      queued: pending,
      queuedBytes: bytes,
      ...this.counts,
      dropped,
      durable,
      adopted: { queues: this.adopted.length, items },
    };
  }

  private queueSettings() {
    const maxBytes = Math.max(MIN_QUEUE_BYTES, this.options.maxQueueBytes ?? DEFAULT_QUEUE_BYTES);
    const warn = (message: string, fields: object) => this.log('warn', message, { ...fields });
    return { maxBytes, now: this.now(), warn };
  }

  /** Adopt the queues of dead processes. If this client does not drain them, the next client does. */
  private adopt(): void {
    for (const queue of adoptOrphans(this.options.queueFolder, this.url, this.queueSettings())) {
      this.log('info', 'Draining a queue of another process.', { items: queue.pending });
      const connection = this.deliver(queue, ignore);
      this.adopted.push(connection);
      connection.start();
    }
  }

  /** The server repeats a command on each new connection. */
  private takeCommand({ id, session, action, text, reason, expiresAt }: CommandMessage): void {
    if (this.knownCommands.has(id) || expiresAt <= this.now()) return;
    this.knownCommands.add(id);
    if (!COMMAND_ACTIONS.includes(action)) return;
    const report = (state: 'received' | 'refused', why?: string) =>
      this.send({
        type: 'command_state',
        session,
        command: id,
        action,
        state,
        ...(why !== undefined && { reason: why }),
      });
    const { client, onCommand } = this.options;
    const handle =
      this.commandHandlers.get(session) ??
      this.commandHandlers.get(`${client}:${session}`) ??
      (onCommand && ((command: RunnerCommand) => onCommand(session, command)));
    if (handle === undefined) {
      report('refused', 'no active run of this session accepts commands');
      return;
    }
    report('received');
    guard(
      () => handle({ id, action, text, reason, expiresAt }),
      (error) => report('refused', messageOf(error)),
    );
  }

  private deliver(
    queue: DurableQueue,
    onState: (state: ClientState) => void,
    commands: ClientOptions['commands'] = [],
  ): QueueConnection {
    const { token, secret = null, timing } = this.options;
    return new QueueConnection({
      queue,
      commands,
      onCommand: (command) => this.takeCommand(command),
      connect: (handlers) => connectServer({ url: this.url, token, secret }, handlers),
      now: this.now,
      timing,
      onState,
      onRefused: ({ seq, code, field, reason }, record) => {
        const { session, type } = record ? (JSON.parse(record.json) as Record<string, unknown>) : {};
        this.refuse({ seq, session: shortText(session), type: shortText(type), code, field, reason });
      },
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
    this.ticks += 1;
    // Not by the clock, which may be set back.
    const isHeartbeat = this.ticks % (HEARTBEAT_MS / SYNC_MS) === 0;
    for (const connection of [this.own, ...this.adopted]) {
      connection.queue.sync();
      connection.checkSilence(now);
      if (isHeartbeat) connection.queue.heartbeat(now);
    }
    for (const drained of this.adopted.filter(({ queue }) => queue.pending === 0)) drained.stop();
    this.adopted = this.adopted.filter(({ queue }) => queue.pending > 0);
    if (isHeartbeat) this.adopt();
  }

  private announce(state: ClientState): void {
    this.state = state;
    if (state.status === 'waiting') {
      const { reason, detail } = state;
      if (reason === 'unauthorized' || reason === 'unsupported_version') this.log('warn', detail, { reason });
    }
    guard(() => this.options.onState?.(state), ignore);
  }

  private refuse(refused: RefusedItem): void {
    this.counts.refused += 1;
    if (this.refusedSinceFlush.length < MAX_REPORTED_REFUSALS) this.refusedSinceFlush.push(refused);
    this.log('warn', 'An item was refused.', { ...refused });
    guard(() => this.options.onRefused?.(refused), ignore);
  }

  private log(level: 'info' | 'warn', message: string, fields: Record<string, unknown>): void {
    guard(() => this.options.logger?.[level](message, fields), ignore);
  }

  private wakeWaiters(): void {
    for (const check of [...this.waiters]) check();
  }

  /** Wait for a condition. Keeps the process alive during the wait, so that the awaited promise settles. */
  private waitFor(reached: () => boolean, timeoutMs: number): Promise<boolean> {
    if (reached() || this.state.status === 'closed') return Promise.resolve(reached());
    return new Promise((resolve) => {
      const finish = (result: boolean) => {
        clearTimeout(timer);
        this.waiters.delete(check);
        this.own.keepAlive(this.waiters.size > 0);
        resolve(result);
      };
      const check = () => {
        if (reached()) finish(true);
        else if (this.state.status === 'closed') finish(false);
      };
      const timer = setTimeout(() => finish(reached()), timeoutMs);
      this.waiters.add(check);
      this.own.keepAlive(true);
    });
  }
}

function checkOptions({ project, runner, token, secret }: ClientOptions): void {
  for (const [name, value] of Object.entries({ project, 'runner.name': runner.name })) {
    if (typeof value === 'string' && value !== '' && !exceeds(value, PROTOCOL_LIMITS.maxKeyLength)) continue;
    throw new TypeError(
      `The client's ${name} must be a text of 1 to ${PROTOCOL_LIMITS.maxKeyLength} characters.`,
    );
  }
  if (token !== null && !/^[!-~]{1,200}$/.test(token)) {
    throw new TypeError('The token must be one word of at most 200 printable characters.');
  }
  if (typeof secret === 'string' && !HEX_64.test(secret)) {
    throw new TypeError('The secret must be 64 hexadecimal digits, as in connection.json.');
  }
}
