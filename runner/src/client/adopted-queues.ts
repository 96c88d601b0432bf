/** Queues of dead processes for this server, each drained over its own connection. The next client drains the rest. */
import { adoptOrphans, type OpenedQueue, type QueueSettings } from '../queue/open-queue';
import type { QueueConnection } from './queue-connection';

export interface AdoptedQueuesOptions {
  queueFolder: string;
  /** The ingest address the queues must be for. */
  url: string;
  maxBytes: number;
  warn: QueueSettings['warn'];
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

  /** Look for queues of dead processes; called periodically. */
  adopt(now: number): void {
    const { queueFolder, url, maxBytes, warn, connect, onAdopted } = this.options;
    for (const opened of adoptOrphans(queueFolder, url, { maxBytes, now, warn })) {
      onAdopted(opened.queue.pending);
      const connection = connect(opened);
      this.entries.push({ opened, connection });
      connection.start();
    }
  }

  /** Called once a second. */
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
