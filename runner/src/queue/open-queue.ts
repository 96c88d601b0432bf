/**
 * Opens a client's queue. A queue that a dead process of the same identity left is continued, so that its items stay
 * before the new ones; otherwise a new one gets a new stream id. Queues of other dead processes for the same server are
 * adopted and drained.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { DurableQueue, type QueueOptions } from './durable-queue';
import {
  listQueueFolders,
  listSegmentIds,
  makePrivateFolder,
  type QueueFile,
  type QueueIdentity,
  readProgress,
  readQueueFile,
  removeQueueFolder,
  sameIdentity,
  segmentFile,
  writeQueueFile,
} from './queue-folder';
import { claimLock, describeThisProcess, type LockOwner, releaseLock } from './queue-lock';
import { readSegment, type Segment } from './segment';

/** Bytes of recovered items kept in memory; the rest is read again when it is sent. */
const KEEP_BYTES = 4 * 1024 * 1024;

export interface OpenedQueue {
  stream: string;
  identity: QueueIdentity;
  queue: DurableQueue;
}

export interface QueueSettings {
  maxBytes: number;
  /** Milliseconds since the epoch. */
  now: number;
  warn: QueueOptions['warn'];
}

/** Open the client's own queue. Never throws for the disk: without a folder it is in memory. */
export function openOwnQueue(parent: string, identity: QueueIdentity, settings: QueueSettings): OpenedQueue {
  const self = describeThisProcess();
  try {
    makePrivateFolder(parent);
    for (const { folder, file } of newestFirst(parent)) {
      if (!sameIdentity(file, identity)) continue;
      const taken = take(folder, file, self, settings);
      if (!taken) continue;
      if (taken.resumable) return taken.opened;
      // Its last items may be lost, so its next seq is unknown: it can only be drained.
      taken.opened.queue.close();
    }
    return create(parent, identity, self, settings);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    settings.warn('No queue folder can be used; items wait in memory.', { folder: parent, reason });
    const options = {
      maxBytes: settings.maxBytes,
      warn: settings.warn,
      recovered: [],
      nextSeq: 1,
      progress: null,
    };
    return { stream: randomUUID(), identity, queue: new DurableQueue({ ...options, folder: null }) };
  }
}

/** Take every queue for this server that no living process owns. */
export function adoptOrphans(parent: string, url: string, settings: QueueSettings): OpenedQueue[] {
  const self = describeThisProcess();
  const adopted: OpenedQueue[] = [];
  for (const { folder, file } of newestFirst(parent)) {
    if (file.url !== url) continue;
    try {
      const taken = take(folder, file, self, settings);
      if (!taken) continue;
      if (taken.opened.queue.pending > 0) adopted.push(taken.opened);
      else taken.opened.queue.close();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      settings.warn('A queue of another process cannot be read.', { folder, reason });
    }
  }
  return adopted;
}

function newestFirst(parent: string): Array<{ folder: string; file: QueueFile }> {
  const found: Array<{ folder: string; file: QueueFile }> = [];
  for (const folder of listQueueFolders(parent)) {
    const file = readQueueFile(folder);
    if (file) found.push({ folder, file });
  }
  return found.sort((a, b) => b.file.createdAt - a.file.createdAt);
}

function create(
  parent: string,
  identity: QueueIdentity,
  self: LockOwner,
  settings: QueueSettings,
): OpenedQueue {
  const stream = randomUUID();
  const folder = path.join(parent, stream);
  // Renamed once it is locked, so that no process finds it unlocked.
  const hidden = path.join(parent, `.${stream}`);
  makePrivateFolder(hidden);
  writeQueueFile(hidden, { format: 1, ...identity, stream, createdAt: settings.now });
  claimLock(hidden, self, settings.now);
  renameSync(hidden, folder);
  const { maxBytes, warn } = settings;
  return {
    stream,
    identity,
    queue: new DurableQueue({ folder, maxBytes, warn, recovered: [], nextSeq: 1, progress: null }),
  };
}

function take(
  folder: string,
  file: QueueFile,
  self: LockOwner,
  settings: QueueSettings,
): { opened: OpenedQueue; resumable: boolean } | null {
  const claim = claimLock(folder, self, settings.now);
  if (!claim.held) return null;
  const again = readQueueFile(folder);
  if (!again) {
    // Its owner removed it meanwhile.
    removeQueueFolder(folder);
    return null;
  }
  try {
    const { maxBytes, warn } = settings;
    const recovery = recover(folder, warn);
    const queue = new DurableQueue({ folder, maxBytes, warn, ...recovery, progress: readProgress(folder) });
    const { format: _, stream, createdAt: __, ...identity } = file;
    return { opened: { stream, identity, queue }, resumable: keptEverything(claim.previous, self) };
  } catch (error) {
    releaseLock(folder);
    throw error;
  }
}

/** After a kill the system has every write; after a power loss the last second may be lost. */
function keptEverything(previous: LockOwner | null, self: LockOwner): boolean {
  return previous === null || (previous.boot !== '' && previous.boot === self.boot);
}

function recover(folder: string, warn: QueueOptions['warn']): { recovered: Segment[]; nextSeq: number } {
  const recovered: Segment[] = [];
  let nextSeq = 1;
  let kept = 0;
  let damaged = 0;
  for (const id of listSegmentIds(folder)) {
    const file = segmentFile(folder, id);
    const bytes = readFileSync(file);
    const read = readSegment(bytes);
    damaged += read.damaged;
    const first = read.records[0]?.seq ?? read.header?.first ?? nextSeq;
    const last = read.records.at(-1)?.seq ?? first - 1;
    nextSeq = Math.max(nextSeq, last + 1, read.header?.first ?? 1);
    kept += bytes.length;
    recovered.push({
      id,
      file,
      firstSeq: first,
      lastSeq: last,
      bytes: statSync(file).size,
      pending: read.records.length,
      records: kept <= KEEP_BYTES ? read.records : null,
      settledRanges: [],
      thinned: read.header?.thinned ?? false,
    });
  }
  if (damaged > 0) warn('Items in the queue were damaged and are lost.', { folder, damaged });
  return { recovered, nextSeq };
}
