/**
 * Batches deliveries without a delay: while one commit runs, the deliveries of all sockets wait for the next one. Owns
 * the deliveries between receipt and commit, and answers each only after its transaction is durable.
 *
 * Senders take turns, so that no sender waits for the queue of another. Deliveries that take long are recorded apart,
 * beside the batches: large ones, and all of a sender with an item that the database refuses or with late items of a long
 * session. A sender that sends alone delays no other, and is recorded in batches.
 *
 * Memory is bounded: sockets stop reading while `hasRoom` is false, and continue when `whenRoom` calls back.
 */
import type { Logger } from 'pino';
import { groupBy } from '../../db/group-by';
import { type Delivery, type ItemOutcome, type Recorded, senderOf } from '../../db/ingest/types';
import { judgeFault } from '../../db/judge-fault';
import { describeOutage, type Outage } from '../http/answers';
import { commitFailures, commitSeconds, itemCount, waitingBytes as waitingBytesGauge } from '../metrics';

/** The database cannot store anything at the moment: the runner keeps its items and retries. */
export class StorageUnavailableError extends Error {
  constructor(cause: unknown) {
    super('The server cannot store data now.', { cause });
    this.name = 'StorageUnavailableError';
  }
}

const MEBIBYTE = 1024 * 1024;
const MAX_WAITING_BYTES = 32 * MEBIBYTE;

/** Why `reserve` has no room. */
export const NO_ROOM = `The server holds ${MAX_WAITING_BYTES / MEBIBYTE} MiB that are not stored yet, or ${MAX_WAITING_BYTES / 2 / MEBIBYTE} MiB of this token. Send this again later.`;

export interface CommitPumpOptions {
  /** Stores deliveries, retries after transient errors, and refuses items that the database does not accept. */
  record(deliveries: readonly Delivery[], options: { defers: boolean }): Promise<Recorded>;
  log: Logger;
  /** Called after each transaction: the outage that failed it, or null. */
  onCommit?(outage: Outage | null): void;
  /** Maximum number of items in one transaction; a larger delivery gets its own. Default 5 000. */
  maxItemsPerCommit?: number;
  /** Bytes, waiting or being received, at which sockets pause and requests are refused. Default 32 MiB. */
  maxWaitingBytes?: number;
}

export type CommitPump = ReturnType<typeof createCommitPump>;

/** A larger delivery is recorded apart in slices of this size, while another sender is active. */
const SLICE_ITEMS = 100;
/** How long a sender counts as active. */
const RECENT_MS = 10_000;
/** How long a sender is recorded apart. To find its next slow item, the batch of all senders starts again. */
const SLOW_MS = 600_000;

interface Waiting {
  delivery: Delivery;
  bytes: number;
  /** Of the items that were recorded so far, in slices. */
  outcomes: ItemOutcome[];
  resolve(outcomes: ItemOutcome[]): void;
  reject(error: StorageUnavailableError): void;
}

export function createCommitPump(options: CommitPumpOptions) {
  const { record, log, onCommit, maxItemsPerCommit = 5_000, maxWaitingBytes = MAX_WAITING_BYTES } = options;
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let running = false;
  /** Deliveries of senders that are recorded apart. */
  const apart = new Map<string, Waiting[]>();
  let isApartRunning = false;
  let endOfApart = Promise.resolve();
  const bytesOfSenders = new Map<string, number>();
  let lastSender: string | null = null;
  /** When the sender last changed. */
  let changedAt = Number.NEGATIVE_INFINITY;
  /** When slow senders were last slow. */
  const slow = new Map<string, number>();
  const roomCalls: Array<() => void> = [];
  const idleCalls: Array<() => void> = [];
  const batchCalls: Array<() => void> = [];

  async function pump(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = takeTurns(waiting, maxItemsPerCommit);
      const taken = new Set(batch);
      waiting = waiting.filter((entry) => !taken.has(entry));
      // A slow sender is only here while it sends alone.
      await commit(batch, !batch.every(isSlow));
      for (const call of batchCalls.splice(0)) call();
    }
    running = false;
    for (const call of idleCalls.splice(0)) call();
  }

  async function commit(batch: Waiting[], defers: boolean): Promise<void> {
    const results = await recordAll(
      batch.map(({ delivery }) => delivery),
      defers,
    );
    const deferred = batch.filter((_, index) => results[index] === 'deferred');
    for (const [sender, entries] of groupBy(deferred, ({ delivery }) => senderOf(delivery.stream))) {
      slow.set(sender, performance.now());
      recordApart(sender, entries);
    }
    for (const [index, entry] of batch.entries()) {
      const result = results[index];
      if (result === 'deferred') continue;
      if (result && !(result instanceof StorageUnavailableError)) entry.resolve(result);
      else entry.reject(result ?? new StorageUnavailableError(null));
      count(-entry.bytes);
    }
    if (hasRoom()) for (const call of roomCalls.splice(0)) call();
  }

  function count(bytes: number): void {
    waitingBytes += bytes;
    waitingBytesGauge.inc(bytes);
  }

  /** Whether a delivery would delay other senders. */
  function isLong(entry: Waiting): boolean {
    const { stream, items } = entry.delivery;
    const sender = senderOf(stream);
    const now = performance.now();
    if (lastSender !== null && lastSender !== sender) changedAt = now;
    lastSender = sender;
    const isCostly = isSlow(entry) || stream.isCostly === true || items.length > SLICE_ITEMS;
    return isCostly && now - changedAt < RECENT_MS;
  }

  function isSlow({ delivery }: Waiting): boolean {
    const sender = senderOf(delivery.stream);
    const isRecent = performance.now() - (slow.get(sender) ?? Number.NEGATIVE_INFINITY) < SLOW_MS;
    if (!isRecent) slow.delete(sender);
    return isRecent;
  }

  /**
   * Records a sender beside the batches, in the order of its deliveries. New deliveries of the sender also wait here until
   * it is done.
   * @param deferred deliveries of a batch, which come before those that wait
   */
  function recordApart(sender: string, deferred: readonly Waiting[] = []): void {
    const isOther = ({ delivery }: Waiting) => senderOf(delivery.stream) !== sender;
    const known = apart.get(sender);
    const queue = [...deferred, ...(known ?? []), ...waiting.filter((each) => !isOther(each))];
    waiting = waiting.filter(isOther);
    apart.set(sender, queue);
    if (!known && !isApartRunning) endOfApart = pumpApart();
  }

  async function pumpApart(): Promise<void> {
    isApartRunning = true;
    while (apart.size > 0) {
      // A batch competes with at most one slice, and may still defer earlier deliveries of the same sender.
      if (running) await new Promise<void>((resolve) => batchCalls.push(resolve));
      await commitSlice();
    }
    isApartRunning = false;
  }

  /** Record the next items of each sender together, with equal shares. */
  async function commitSlice(): Promise<void> {
    const share = Math.max(1, Math.floor(SLICE_ITEMS / apart.size));
    const slice: { entry: Waiting; items: Delivery['items'] }[] = [];
    for (const queue of apart.values()) {
      let left = share;
      for (const entry of queue) {
        const from = entry.outcomes.length;
        const items = entry.delivery.items.slice(from, from + left);
        slice.push({ entry, items });
        left -= items.length;
        if (left === 0) break;
      }
    }
    const results = await recordAll(
      slice.map(({ entry, items }) => ({ ...entry.delivery, items })),
      false,
    );
    const answered = new Set<Waiting>();
    for (const [index, { entry }] of slice.entries()) {
      const { delivery, outcomes } = entry;
      const result = results[index];
      if (!Array.isArray(result))
        entry.reject(result instanceof Error ? result : new StorageUnavailableError(null));
      else if (outcomes.push(...result) < delivery.items.length) continue;
      else entry.resolve(outcomes);
      answered.add(entry);
      count(-entry.bytes);
    }
    for (const [sender, queue] of apart) {
      const rest = queue.filter((entry) => !answered.has(entry));
      if (rest.length > 0) apart.set(sender, rest);
      else apart.delete(sender);
    }
    if (hasRoom()) for (const call of roomCalls.splice(0)) call();
  }

  /**
   * Record deliveries together. After a server error, record each separately, so that only the faulty delivery fails.
   * Never rejects.
   */
  async function recordAll(
    deliveries: readonly Delivery[],
    defers: boolean,
  ): Promise<Array<ItemOutcome[] | 'deferred' | StorageUnavailableError>> {
    const endTimer = commitSeconds.startTimer();
    try {
      const { outcomes, deferred } = await record(deliveries, { defers });
      endTimer();
      onCommit?.(null);
      for (const { outcome } of outcomes.flat()) itemCount.inc({ outcome });
      logUnstorable(deliveries, outcomes);
      return outcomes.map((each, index) => (deferred?.has(index) ? 'deferred' : each));
    } catch (error) {
      const fault = judgeFault(error);
      const isAway = fault === 'unavailable' || fault === 'transient';
      if (!isAway && deliveries.length > 1) {
        const results: Array<ItemOutcome[] | 'deferred' | StorageUnavailableError> = [];
        for (const delivery of deliveries) results.push(...(await recordAll([delivery], defers)));
        return results;
      }
      const outage = describeOutage(error);
      commitFailures.inc({ reason: outage?.code ?? 'fault' });
      if (outage) onCommit?.(outage);
      const reason = describe(error);
      if (isAway) log.warn({ fault, reason }, 'a commit failed; runners keep their items');
      else log.error({ reason }, 'a delivery could not be stored');
      return deliveries.map(() => new StorageUnavailableError(error));
    }
  }

  /** One line per delivery, because one client could otherwise fill the log. */
  function logUnstorable(deliveries: readonly Delivery[], outcomes: readonly ItemOutcome[][]): void {
    for (const [index, { items }] of deliveries.entries()) {
      const refused = [...(outcomes[index] ?? []).entries()].flatMap(([place, outcome]) =>
        outcome.outcome === 'refused' && outcome.code === 'unstorable'
          ? { ...outcome, item: items[place] }
          : [],
      );
      const [first] = refused;
      if (!first) continue;
      const { item, reason } = first;
      // A reason of PostgreSQL may quote a value.
      const unquoted = reason.replace(/".*/s, '…');
      const fields = { type: item?.type, seq: item?.seq, reason: unquoted, count: refused.length };
      log.error(fields, 'an item could not be stored');
    }
  }

  const hasRoom = (): boolean => waitingBytes < maxWaitingBytes;

  /**
   * @param bytes received size of the delivery, for the memory bound
   * @returns an outcome per item, once they are durable
   * @throws StorageUnavailableError
   */
  const submit = (delivery: Delivery, bytes: number): Promise<ItemOutcome[]> =>
    new Promise((resolve, reject) => {
      const entry = { delivery, bytes, outcomes: [], resolve, reject };
      count(bytes);
      waiting.push(entry);
      const sender = senderOf(delivery.stream);
      if (isLong(entry) || apart.has(sender)) recordApart(sender);
      else if (!running) void pump();
    });

  return {
    submit,
    /**
     * Count the bytes of a request before its body is read. A sender gets at most half of the bound.
     * @returns null: there is no room. Its `submit` takes deliveries of the body, and does not count them again.
     */
    reserve(sender: string, bytes: number): { submit: typeof submit; release(): void } | null {
      const own = bytesOfSenders.get(sender) ?? 0;
      if (!hasRoom() || (own > 0 && own + bytes > maxWaitingBytes / 2)) return null;
      count(bytes);
      bytesOfSenders.set(sender, own + bytes);
      let isReleased = false;
      return {
        submit: (delivery) => submit(delivery, 0),
        release() {
          if (isReleased) return;
          isReleased = true;
          count(-bytes);
          const left = (bytesOfSenders.get(sender) ?? 0) - bytes;
          if (left > 0) bytesOfSenders.set(sender, left);
          else bytesOfSenders.delete(sender);
          if (hasRoom()) for (const call of roomCalls.splice(0)) call();
        },
      };
    },
    hasRoom,
    /** Call back once, when there is room again. */
    whenRoom(act: () => void): void {
      if (hasRoom()) act();
      else roomCalls.push(act);
    },
    idle: async (): Promise<void> => {
      if (running) await new Promise<void>((resolve) => idleCalls.push(resolve));
      await endOfApart;
    },
  };
}

/** One delivery of each sender in turn, up to a number of items; at least one. The order of a sender's own stays. */
function takeTurns(waiting: readonly Waiting[], maxItems: number): Waiting[] {
  const queues = [...groupBy(waiting, ({ delivery }) => senderOf(delivery.stream)).values()];
  const batch: Waiting[] = [];
  let items = 0;
  for (let round = 0; ; round += 1) {
    const turns = queues.flatMap((queue) => queue[round] ?? []);
    if (turns.length === 0) return batch;
    for (const entry of turns) {
      items += entry.delivery.items.length;
      if (batch.length > 0 && items > maxItems) return batch;
      batch.push(entry);
    }
  }
}

/** Omits the statement and its parameters, which can have hundreds of kilobytes. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 300);
  const { code } = error as { code?: unknown };
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}`.slice(0, 300);
}
