/**
 * Hands over what the index holds and the server lacks, oldest first, and stops where the server is the reason to wait.
 */
import { noteArchive, readArchiveIndex } from '../archive/archive-index';
import type { ArchiveEntry } from '../archive/archive-types';
import { identifyServer } from './upload-archive';
import { type EntryOutcome, type EntryUpload, uploadEntry } from './upload-entry';
import { describeError, isPassing, UploadFailure } from './upload-failure';
import { isWantedAt } from './upload-state';

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
  /** One of them may be taken in a moment, as by a server that was killed and comes back. */
  isPassing: boolean;
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
  const candidates = (await readArchiveIndex(configFolder)).entries.filter(isWanted);
  const summary: PendingSummary = {
    stored: 0,
    refused: 0,
    waiting: 0,
    reason: null,
    isPassing: false,
    isUnsupported: false,
    bytes: 0,
    sentBytes: 0,
    wireBytes: 0,
  };
  // Nobody is asked for nothing.
  if (!candidates.some(({ state, upload }) => state === 'stored' && upload !== 'none')) return summary;
  let serverId: string | null;
  try {
    serverId = await identifyServer(pending.server, options);
  } catch (error) {
    if (!(error instanceof UploadFailure)) throw error;
    const waiting = candidates.filter(({ upload }) => upload === 'pending');
    const reason = describeError(error);
    const [first] = waiting;
    const note = { uploadReason: reason, uploadCode: null };
    if (first !== undefined) await noteArchive(configFolder, first.id, note).catch(() => undefined);
    return { ...summary, waiting: waiting.length, reason, isPassing: isPassing(error) };
  }
  const wanted: ArchiveEntry[] = [];
  for (const entry of candidates) if (await isWantedAt(entry, serverId)) wanted.push(entry);
  /** Bytes from which on a project was said to have no room. */
  const full = new Map<string, number>();
  for (const [index, entry] of wanted.entries()) {
    options?.signal?.throwIfAborted();
    if ((entry.bytes ?? 0) >= (full.get(entry.project ?? '') ?? Number.POSITIVE_INFINITY)) {
      summary.waiting += 1;
      continue;
    }
    onBegin?.(entry, index, wanted.length);
    const outcome = await uploadEntry(entry, { ...pending, serverId });
    await onOutcome?.(entry, outcome);
    if (outcome.state === 'stored') {
      summary.bytes += entry.bytes ?? 0;
      summary.sentBytes += outcome.sent.bytes;
      summary.wireBytes += outcome.sent.compressedBytes;
    }
    summary[outcome.state] += 1;
    if (outcome.state !== 'waiting') continue;
    summary.reason ??= outcome.reason;
    summary.isPassing ||= outcome.isPassing;
    summary.isUnsupported ||= outcome.isUnsupported;
    if (outcome.isProjectFull) full.set(outcome.project, entry.bytes ?? 0);
    if (!outcome.isServer) continue;
    summary.waiting += wanted.length - index - 1;
    break;
  }
  return summary;
}
