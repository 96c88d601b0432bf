/**
 * Opens a client's queue. If a dead process left a queue with the same identity, it continues that queue, so that
 * older items stay first. Otherwise it creates a queue with a new stream id. It adopts and drains queues of other dead
 * processes for the same server.
 */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { syncFolder } from '../private-files';
import { DurableQueue, type QueueOptions } from './durable-queue';
import { keepAside, listKept } from './keep-aside';
import {
  isLaterFormat,
  listFolders,
  listQueues,
  listSegments,
  makePrivateFolder,
  type QueueFile,
  type QueueIdentity,
  readIntactQueueFile,
  readQueueFile,
  writeQueueFile,
} from './queue-files';
import { claimLock, describeThisProcess, isLocked, type LockOwner, releaseLock } from './queue-lock';
import { recoverQueue } from './recover-queue';

export interface QueueSettings extends Pick<QueueOptions, 'maxBytes' | 'warn'> {
  /** Milliseconds since the epoch. */
  now: number;
}

/** Open the client's own queue. Without a usable folder, the queue is in memory. Never throws. */
export function openOwnQueue(parent: string, identity: QueueIdentity, settings: QueueSettings): DurableQueue {
  const { maxBytes, warn, now } = settings;
  const stream = randomUUID();
  const empty = { segments: [], nextSeq: 1, settled: [], reservedThrough: 0 };
  const options = { ...empty, maxBytes, warn, stream, identity };
  try {
    makePrivateFolder(parent);
    for (const { folder, file } of listQueues(parent)) {
      if (!isSameOwner(file, identity)) continue;
      const taken = take(folder, file, settings);
      if (taken?.resumable) return taken.queue;
      // The queue's last items may be lost, so its next seq is unknown: the queue can only be drained.
      taken?.queue.close();
    }
    const folder = path.join(parent, stream);
    // The folder is renamed once it is locked, so that no process finds it unlocked.
    const hidden = path.join(parent, `.${stream}`);
    makePrivateFolder(hidden);
    writeQueueFile(hidden, { format: 1, ...identity, stream, createdAt: now });
    claimLock(hidden, describeThisProcess(), now);
    renameSync(hidden, folder);
    syncFolder(parent);
    return new DurableQueue({ ...options, folder });
  } catch (error) {
    warn('No queue folder can be used; items wait in memory.', { folder: parent, reason: String(error) });
    return new DurableQueue({ ...options, folder: null });
  }
}

/** Take every queue for this server that no living process owns. */
export function adoptOrphans(parent: string, url: string, settings: QueueSettings): DurableQueue[] {
  return listQueues(parent).flatMap(({ folder, file }) => {
    if (file.url !== url) return [];
    try {
      const queue = take(folder, file, settings)?.queue;
      if (queue !== undefined && queue.pending > 0) return [queue];
      queue?.close();
    } catch (error) {
      settings.warn('A queue of another process cannot be read.', { folder, reason: String(error) });
    }
    return [];
  });
}

function take(
  folder: string,
  file: QueueFile,
  { maxBytes, warn, now }: QueueSettings,
): { queue: DurableQueue; resumable: boolean } | null {
  const { format: _, stream, createdAt: __, ...identity } = file;
  const self = describeThisProcess();
  const claim = claimLock(folder, self, now);
  if (!claim.held) return null;
  if (readQueueFile(folder) === null) {
    // The owner has removed the queue in the meantime.
    if (listSegments(folder).length === 0) rmSync(folder, { recursive: true, force: true });
    else releaseLock(folder);
    return null;
  }
  const reportDamaged = (name: string) =>
    warn(`The queue's ${name} was damaged.`, { folder, kept: keepAside(path.join(folder, name)) });
  try {
    if (readIntactQueueFile(folder) === null) {
      reportDamaged('queue.json');
      writeQueueFile(folder, file);
    }
    const { lost, isProgressDamaged, items: _items, ...recovered } = recoverQueue(folder);
    if (isProgressDamaged) reportDamaged('progress.json');
    if (lost > 0) warn('The queue is damaged; its readable items are sent.', { folder, lost });
    const queue = new DurableQueue({ folder, stream, identity, maxBytes, warn, ...recovered });
    if (lost > 0 || isProgressDamaged) queue.sync();
    return { queue, resumable: keptEverything(claim.previous, self) };
  } catch (error) {
    releaseLock(folder);
    throw error;
  }
}

function isSameOwner(a: QueueIdentity, b: QueueIdentity): boolean {
  const fields = ['url', 'project', 'projectSource', 'client', 'source'] as const;
  return a.runner.name === b.runner.name && fields.every((field) => a[field] === b[field]);
}

/** A kill loses no write, because the operating system has all writes; a power loss may lose the last second. */
function keptEverything(previous: LockOwner | null, self: LockOwner): boolean {
  return previous === null || (previous.boot !== '' && previous.boot === self.boot);
}

/** One queue on disk. */
export interface QueueReport extends QueueIdentity {
  /** Id of the stream. */
  stream: string;
  /** Absolute path of the queue. */
  folder: string;
  /** Number of readable items without a recorded acknowledgement. */
  items: number;
  /** Size of the queue in bytes. */
  bytes: number;
  /** Whether a living process owns the queue. */
  inUse: boolean;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/**
 * List the queues of a folder, without unreadable ones.
 * @param parent the client's `queueFolder`. @param now milliseconds since the epoch.
 */
export function inspectQueues(parent: string, now: number = Date.now()): QueueReport[] {
  const self = describeThisProcess();
  return listQueues(parent).flatMap(({ folder, file: { format: _, ...about } }) => {
    try {
      const { segments, items } = recoverQueue(folder);
      const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
      return [{ ...about, folder, items, bytes, inUse: isLocked(folder, self, now) }];
    } catch {
      // The owner has removed the queue in the meantime.
      return [];
    }
  });
}

/** Something in a queue folder that a person should know. */
export interface QueueProblem {
  /** Whether items wait until a person acts. */
  isStuck: boolean;
  text: string;
  remedy: string;
}

/** Find what no client can send, and the files kept of damaged queues. @param parent the client's `queueFolder`. */
export function findQueueProblems(parent: string, now: number = Date.now()): QueueProblem[] {
  const self = describeThisProcess();
  const problems = listFolders(parent).flatMap((folder): QueueProblem[] => {
    if (listSegments(folder).length === 0 || isLocked(folder, self, now)) return [];
    try {
      const { items, lost } = recoverQueue(folder);
      const waiting = `readable items in ${folder}: ${items}`;
      if (isLaterFormat(folder)) {
        const remedy = 'Update this program, which then sends them: npm install barograph@latest';
        return [{ isStuck: true, text: `${waiting}, written by a later version`, remedy }];
      }
      if (readQueueFile(folder) === null) {
        const remedy = 'Restore queue.json from a backup, or delete the folder.';
        return [{ isStuck: true, text: `${waiting}, not sent because queue.json is damaged`, remedy }];
      }
      const remedy = 'The next client sends the other items, and records the lost ones as gaps.';
      return lost === 0 ? [] : [{ isStuck: false, text: `damaged items in ${folder}: ${lost}`, remedy }];
    } catch {
      // The owner has removed the queue in the meantime.
      return [];
    }
  });
  const kept = listKept(parent);
  if (kept.length === 0) return problems;
  const text = `kept damaged files: ${kept.join(', ')}`;
  return [...problems, { isStuck: false, text, remedy: 'Delete them when they are no longer needed.' }];
}
