/** Describes the queues in a folder, read-only. */
import { readFileSync } from 'node:fs';
import { inRanges } from '../../../core/protocol/ranges';
import {
  listQueueFolders,
  listSegmentIds,
  type QueueIdentity,
  readProgress,
  readQueueFile,
  segmentFile,
} from './queue-folder';
import { describeThisProcess, isLocked } from './queue-lock';
import { readSegment } from './segment';

/** One queue on disk. */
export interface QueueReport extends QueueIdentity {
  stream: string;
  folder: string;
  /** Items that are not known to be acknowledged. */
  items: number;
  bytes: number;
  /** Whether a living process owns it. */
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
  const reports: QueueReport[] = [];
  for (const folder of listQueueFolders(parent)) {
    const file = readQueueFile(folder);
    if (!file) continue;
    const settled = readProgress(folder)?.settled ?? [];
    const seqs = new Set<number>();
    let bytes = 0;
    try {
      for (const id of listSegmentIds(folder)) {
        const content = readFileSync(segmentFile(folder, id));
        bytes += content.length;
        for (const record of readSegment(content).records)
          if (!inRanges(settled, record.seq)) seqs.add(record.seq);
      }
    } catch {
      // Its owner removed a segment meanwhile.
    }
    const { format: _, ...rest } = file;
    reports.push({ ...rest, folder, items: seqs.size, bytes, inUse: isLocked(folder, self, now) });
  }
  return reports;
}
