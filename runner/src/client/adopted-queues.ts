/**
 * Queues that dead processes left behind for this server, each drained over a connection of its own. It owns
 * them until they are empty, or until the client closes: what is left then waits for the next one.
 */
import { adoptOrphans, type OpenedQueue, type Warn } from '../queue/open-queue';
import type { QueueConnection } from './queue-connection';

export interface AdoptedQueuesOptions {
  queueFolder: string;
  /** The ingest address the queues must be for. */
  url: string;
  maxBytes: number;
  warn: Warn;
  connect(opened: OpenedQueue): QueueConnection;
  onAdopted(items: number): void;
}

export class AdoptedQueues {
  private entries: Array<{ opened: OpenedQueue; connection: QueueConnection }> = [];

  constructor(private readonly options: AdoptedQueuesOptions) {}

  get count(): { queues: number; items: number } {
    const items = this.entries.reduce((sum, { opened }) => sum + opened.queue.pending, 0);
    return { queues: this.entries.length, items };
  }

  /** Looks for orphans, now and then: a process may die at any time. */
  adopt(now: number): void {
    const { queueFolder, url, maxBytes, warn, connect, onAdopted } = this.options;
    for (const opened of adoptOrphans(queueFolder, url, { maxBytes, now, warn })) {
      onAdopted(opened.queue.pending);
      const connection = connect(opened);
      this.entries.push({ opened, connection });
      connection.start();
    }
  }

  /** Once a second. */
  tick(now: number): void {
    for (const { opened, connection } of this.entries) {
      opened.queue.sync();
      connection.checkSilence(now);
    }
    this.entries = this.entries.filter(({ opened, connection }) => {
      if (opened.queue.pending > 0) return true;
      connection.stop();
      opened.queue.close();
      return false;
    });
  }

  heartbeat(now: number): void {
    for (const { opened } of this.entries) opened.queue.heartbeat(now);
  }

  close(): void {
    for (const { opened, connection } of this.entries) {
      connection.stop();
      opened.queue.close();
    }
    this.entries = [];
  }
}
