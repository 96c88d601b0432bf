/** Hands over what the index holds as pending, oldest first, and stops where the server is the reason to wait. */
import { readArchiveIndex } from '../archive/archive-index';
import type { ArchiveEntry } from '../archive/archive-types';
import { type EntryOutcome, type EntryUpload, uploadEntry } from './upload-entry';

export interface PendingUpload extends EntryUpload {
  /** Which of the pending ones; default: all. */
  isWanted?(entry: ArchiveEntry): boolean;
  /** Before each. `index` from 0. */
  onBegin?(entry: ArchiveEntry, index: number, total: number): void;
  /** After each. May wait for whom it tells. */
  onOutcome?(entry: ArchiveEntry, outcome: EntryOutcome): void | Promise<void>;
}

export interface PendingSummary {
  stored: number;
  refused: number;
  /** Left as they were. */
  waiting: number;
  /** Why the first of those waits. */
  reason: string | null;
  /** The server is of a version that takes no archives. */
  isUnsupported: boolean;
  /** Of the stored ones, and what of that had to be sent; over the wire. */
  bytes: number;
  sentBytes: number;
  wireBytes: number;
}

/** @throws what the file system throws for an index that cannot be read; the signal's reason. */
export async function uploadPending(pending: PendingUpload): Promise<PendingSummary> {
  const { configFolder, isWanted = () => true, onBegin, onOutcome, options } = pending;
  const { entries } = await readArchiveIndex(configFolder);
  const wanted = entries.filter((entry) => entry.upload === 'pending' && isWanted(entry));
  const summary: PendingSummary = {
    stored: 0,
    refused: 0,
    waiting: 0,
    reason: null,
    isUnsupported: false,
    bytes: 0,
    sentBytes: 0,
    wireBytes: 0,
  };
  for (const [index, entry] of wanted.entries()) {
    options?.signal?.throwIfAborted();
    onBegin?.(entry, index, wanted.length);
    const outcome = await uploadEntry(entry, pending);
    await onOutcome?.(entry, outcome);
    if (outcome.state === 'stored') {
      summary.bytes += entry.bytes ?? 0;
      summary.sentBytes += outcome.sent.bytes;
      summary.wireBytes += outcome.sent.compressedBytes;
    }
    summary[outcome.state] += 1;
    if (outcome.state !== 'waiting') continue;
    summary.reason ??= outcome.reason;
    summary.isUnsupported ||= outcome.isUnsupported;
    if (!outcome.isServer) continue;
    summary.waiting += wanted.length - index - 1;
    break;
  }
  return summary;
}
