/**
 * Batches without waiting. While one commit runs, the deliveries of all sockets gather for the next; an idle
 * server writes at once. It owns the deliveries between receipt and commit, and trades nothing: a delivery is
 * answered after its transaction is durable, or it is not answered.
 *
 * Memory is bounded by asking: `hasRoom` says when sockets should stop reading, `whenRoom` when they may go on.
 */
import type { Logger } from 'pino';
import type { Delivery, ItemOutcome, Recorded, TouchedSession } from '../../db/ingest/types';
import { judgeFault } from '../../db/judge-fault';

/** The database cannot take anything at the moment: the runner keeps its items and comes again. */
export class StorageUnavailableError extends Error {
  constructor(cause: unknown) {
    super('The server cannot store at the moment.', { cause });
    this.name = 'StorageUnavailableError';
  }
}

export interface CommitPumpOptions {
  /** Stores deliveries in one transaction. */
  record(deliveries: readonly Delivery[]): Promise<Recorded>;
  /** Called after each commit with the sessions it changed. */
  onCommitted(touched: readonly TouchedSession[]): void;
  log: Logger;
  /** Items in one transaction at most (a single larger delivery goes alone). Default 5 000. */
  maxItemsPerCommit?: number;
  /** Bytes that wait at most before sockets are paused. Default 32 MiB. */
  maxWaitingBytes?: number;
}

export interface CommitPump {
  /**
   * @param bytes size of the delivery as it came, for the bound on memory.
   * @returns an outcome per item, once they are durable.
   * @throws StorageUnavailableError
   */
  submit(delivery: Delivery, bytes: number): Promise<ItemOutcome[]>;
  hasRoom(): boolean;
  /** Calls back once, when there is room again. */
  whenRoom(act: () => void): void;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

interface Waiting {
  delivery: Delivery;
  bytes: number;
  resolve(outcomes: ItemOutcome[]): void;
  reject(error: StorageUnavailableError): void;
}

const MAX_RETRIES = 4;

export function createCommitPump(options: CommitPumpOptions): CommitPump {
  const { record, onCommitted, log, maxItemsPerCommit = 5_000, maxWaitingBytes = 32 * 1024 * 1024 } = options;
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let running = false;
  const roomCalls: Array<() => void> = [];
  const idleCalls: Array<() => void> = [];

  async function pump(): Promise<void> {
    running = true;
    while (waiting.length > 0) await commit(takeBatch());
    running = false;
    for (const call of idleCalls.splice(0)) call();
  }

  function takeBatch(): Waiting[] {
    let items = 0;
    let size = 0;
    for (const { delivery } of waiting) {
      if (size > 0 && items + delivery.items.length > maxItemsPerCommit) break;
      items += delivery.items.length;
      size += 1;
    }
    const batch = waiting.slice(0, size);
    waiting = waiting.slice(size);
    return batch;
  }

  async function commit(batch: Waiting[]): Promise<void> {
    const results = await recordApart(batch.map(({ delivery }) => delivery));
    for (const [index, entry] of batch.entries()) {
      const result = results[index];
      if (result && !(result instanceof StorageUnavailableError)) entry.resolve(result);
      else entry.reject(result ?? new StorageUnavailableError(null));
      waitingBytes -= entry.bytes;
    }
    if (hasRoom()) for (const call of roomCalls.splice(0)) call();
  }

  /** Stores together what can be stored together, and finds out what cannot. Never rejects. */
  async function recordApart(
    deliveries: Delivery[],
  ): Promise<Array<ItemOutcome[] | StorageUnavailableError>> {
    try {
      const { outcomes, touched } = await recordPatiently(deliveries);
      notify(touched);
      return outcomes;
    } catch (error) {
      const fault = judgeFault(error);
      if (fault === 'unavailable' || fault === 'transient') {
        log.warn({ fault, reason: describe(error) }, 'a commit failed; runners keep their items');
        return deliveries.map(() => new StorageUnavailableError(error));
      }
      if (deliveries.length > 1) {
        const half = deliveries.length >> 1;
        const first = await recordApart(deliveries.slice(0, half));
        return [...first, ...(await recordApart(deliveries.slice(half)))];
      }
      const [delivery] = deliveries;
      if (!delivery) return [];
      return [fault === 'data' ? await isolateItem(delivery, error) : giveBack(error)];
    }
  }

  async function recordPatiently(deliveries: Delivery[]): Promise<Recorded> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await record(deliveries);
      } catch (error) {
        if (attempt > MAX_RETRIES || judgeFault(error) !== 'transient') throw error;
      }
    }
  }

  /** A value that no check foresaw must not hold up its neighbours for ever: it is refused, and logged. */
  async function isolateItem(
    delivery: Delivery,
    error: unknown,
  ): Promise<ItemOutcome[] | StorageUnavailableError> {
    const [item] = delivery.items;
    if (!item) return [];
    if (delivery.items.length === 1) {
      log.error({ type: item.type, seq: item.seq, reason: describe(error) }, 'an item could not be stored');
      const reason = 'The server could not store this item; its log says why.';
      return [{ outcome: 'refused', code: 'unstorable', field: '', reason }];
    }
    const half = delivery.items.length >> 1;
    const outcomes: ItemOutcome[] = [];
    for (const items of [delivery.items.slice(0, half), delivery.items.slice(half)]) {
      const [result] = await recordApart([{ ...delivery, items }]);
      if (!result || result instanceof StorageUnavailableError)
        return result ?? new StorageUnavailableError(error);
      outcomes.push(...result);
    }
    return outcomes;
  }

  function giveBack(error: unknown): StorageUnavailableError {
    log.error({ reason: describe(error) }, 'a delivery could not be stored');
    return new StorageUnavailableError(error);
  }

  function notify(touched: readonly TouchedSession[]): void {
    try {
      onCommitted(touched);
    } catch (error) {
      log.error({ reason: describe(error) }, 'a listener to commits failed');
    }
  }

  const hasRoom = (): boolean => waitingBytes < maxWaitingBytes;

  return {
    submit: (delivery, bytes) =>
      new Promise((resolve, reject) => {
        waiting.push({ delivery, bytes, resolve, reject });
        waitingBytes += bytes;
        if (!running) void pump();
      }),
    hasRoom,
    whenRoom(act) {
      if (hasRoom()) act();
      else roomCalls.push(act);
    },
    idle: () => (running ? new Promise((resolve) => idleCalls.push(resolve)) : Promise.resolve()),
  };
}

/** Never the statement or its parameters: a driver's error may carry hundreds of kilobytes of them. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 300);
  const { code } = error as { code?: unknown };
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}`.slice(0, 300);
}
