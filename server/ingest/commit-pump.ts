/**
 * Batches deliveries without a delay: while one commit runs, the deliveries of all sockets wait for the next one. Owns
 * the deliveries between receipt and commit, and answers each only after its transaction is durable.
 *
 * Memory is bounded: sockets stop reading while `hasRoom` is false, and continue when `whenRoom` calls back.
 */
import type { Logger } from 'pino';
import type { Delivery, ItemOutcome, Recorded } from '../../db/ingest/types';
import { judgeFault } from '../../db/judge-fault';

/** The database cannot store anything at the moment: the runner keeps its items and retries. */
export class StorageUnavailableError extends Error {
  constructor(cause: unknown) {
    super('The server cannot store data now.', { cause });
    this.name = 'StorageUnavailableError';
  }
}

export interface CommitPumpOptions {
  /** Stores deliveries, retries after transient errors, and refuses items that the database does not accept. */
  record(deliveries: readonly Delivery[]): Promise<Recorded>;
  log: Logger;
  /** Maximum number of items in one transaction; a larger delivery gets its own. Default 5 000. */
  maxItemsPerCommit?: number;
  /** Waiting bytes at which sockets pause. Default 32 MiB. */
  maxWaitingBytes?: number;
}

export type CommitPump = ReturnType<typeof createCommitPump>;

interface Waiting {
  delivery: Delivery;
  bytes: number;
  resolve(outcomes: ItemOutcome[]): void;
  reject(error: StorageUnavailableError): void;
}

export function createCommitPump(options: CommitPumpOptions) {
  const { record, log, maxItemsPerCommit = 5_000, maxWaitingBytes = 32 * 1024 * 1024 } = options;
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
    const results = await recordAll(batch.map(({ delivery }) => delivery));
    for (const [index, entry] of batch.entries()) {
      const result = results[index];
      if (result && !(result instanceof StorageUnavailableError)) entry.resolve(result);
      else entry.reject(result ?? new StorageUnavailableError(null));
      waitingBytes -= entry.bytes;
    }
    if (hasRoom()) for (const call of roomCalls.splice(0)) call();
  }

  /**
   * Record deliveries together. After a server error, record each separately, so that only the faulty delivery fails.
   * Never rejects.
   */
  async function recordAll(
    deliveries: readonly Delivery[],
  ): Promise<Array<ItemOutcome[] | StorageUnavailableError>> {
    try {
      const { outcomes } = await record(deliveries);
      logUnstorable(deliveries, outcomes);
      return outcomes;
    } catch (error) {
      const fault = judgeFault(error);
      const isAway = fault === 'unavailable' || fault === 'transient';
      if (!isAway && deliveries.length > 1) {
        const results: Array<ItemOutcome[] | StorageUnavailableError> = [];
        for (const delivery of deliveries) results.push(...(await recordAll([delivery])));
        return results;
      }
      const reason = describe(error);
      if (isAway) log.warn({ fault, reason }, 'a commit failed; runners keep their items');
      else log.error({ reason }, 'a delivery could not be stored');
      return deliveries.map(() => new StorageUnavailableError(error));
    }
  }

  function logUnstorable(deliveries: readonly Delivery[], outcomes: readonly ItemOutcome[][]): void {
    for (const [index, { items }] of deliveries.entries()) {
      for (const [place, outcome] of (outcomes[index] ?? []).entries()) {
        if (outcome.outcome !== 'refused' || outcome.code !== 'unstorable') continue;
        const item = items[place];
        log.error(
          { type: item?.type, seq: item?.seq, reason: outcome.reason },
          'an item could not be stored',
        );
      }
    }
  }

  const hasRoom = (): boolean => waitingBytes < maxWaitingBytes;

  return {
    /**
     * @param bytes received size of the delivery, for the memory bound
     * @returns an outcome per item, once they are durable
     * @throws StorageUnavailableError
     */
    submit: (delivery: Delivery, bytes: number): Promise<ItemOutcome[]> =>
      new Promise((resolve, reject) => {
        waiting.push({ delivery, bytes, resolve, reject });
        waitingBytes += bytes;
        if (!running) void pump();
      }),
    hasRoom,
    /** Call back once, when there is room again. */
    whenRoom(act: () => void): void {
      if (hasRoom()) act();
      else roomCalls.push(act);
    },
    idle: async (): Promise<void> => {
      if (running) await new Promise<void>((resolve) => idleCalls.push(resolve));
    },
  };
}

/** Omits the statement and its parameters, which can have hundreds of kilobytes. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 300);
  const { code } = error as { code?: unknown };
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}`.slice(0, 300);
}
