/** Imports transcripts as history. The read position is saved per file, so a second run sends only new lines. */
import { messageOf } from '../guard';
import { claimCopiedCalls } from './claim-copied-calls';
import type { TranscriptSession, TranscriptSource } from './collect-sources';
import { type TranscriptDestination, TranscriptSender } from './send-transcript';
import type { TranscriptFeed } from './transcript-feed';

export interface ImportProgress {
  bytes: number;
  totalBytes: number;
  files: number;
  totalFiles: number;
  calls: number;
  path: string;
}

export type ImportSummary = ReturnType<typeof emptySummary>;

export interface ImportOptions extends TranscriptDestination {
  signal: AbortSignal;
  /** Read every file from its start, even if its lines were sent before. */
  again: boolean;
  onProgress(progress: ImportProgress): void;
}

export async function importTranscripts(
  sessions: readonly TranscriptSession[],
  options: ImportOptions,
): Promise<ImportSummary> {
  const { signal, store, onProgress } = options;
  const summary = emptySummary();
  const sender = new TranscriptSender(
    options,
    (items) => items.map((item) => (item.type === 'session_start' ? { ...item, backfill: true } : item)),
    signal,
  );
  const all = sessions.flatMap(({ sources }) => sources);
  const totalBytes = all.reduce((sum, source) => sum + sizeOf(source), 0);
  const paths = new Set(all.map(({ path }) => path));
  const behind = { files: 0, bytes: 0 };
  for (const { sources } of sessions) {
    const readBefore = summary.files.read;
    // A file that was read earlier determines the project for all files of the session.
    for (const { path } of sources) store.read(path);
    for (const source of sources) {
      if (signal.aborted) return summary;
      const { path } = source;
      const size = sizeOf(source);
      const report = (files: number, bytes: number) =>
        onProgress({ files, bytes, totalBytes, totalFiles: all.length, calls: summary.calls, path });
      // A session may have several main files.
      const isMain = source === sources[0] || source.identity.chain === null;
      try {
        const { feed, isContinued } = await sender.open(source, isMain, options.again);
        if (!isContinued && source.identity.chain === null)
          await claimCopiedCalls(source, store.owners, (other) => paths.has(other));
        await importFile(sender, feed, summary, (offset) =>
          report(behind.files, behind.bytes + Math.min(size, offset)),
        );
      } catch (error) {
        summary.files.failed.push({ path, reason: messageOf(error) });
      }
      behind.files += 1;
      behind.bytes += size;
      report(behind.files, behind.bytes);
    }
    if (summary.files.read > readBefore) summary.sessions += 1;
  }
  return summary;
}

/** 0 for a session of a database, which has no size of its own. */
function sizeOf({ path, bytes, format }: TranscriptSource): number {
  return format.readsAs(path) === 'database' ? 0 : bytes;
}

async function importFile(
  sender: TranscriptSender,
  feed: TranscriptFeed,
  summary: ImportSummary,
  onRead: (offset: number) => void,
): Promise<void> {
  let hasRead = false;
  for await (const { bytes } of sender.pull(feed)) {
    hasRead = true;
    summary.bytes += bytes;
    onRead(feed.position.offset);
  }
  if (!hasRead) {
    summary.files.unchanged += 1;
    return;
  }
  await sender.settle(feed);
  const { counts } = feed.parser;
  summary.files.read += 1;
  summary.calls = sender.sent.calls;
  summary.compactions += counts.compactions;
  for (const name of ['undecodable', 'synthetic', 'invalid', 'usageConflicts'] as const) {
    summary.notes[name] += counts[name];
  }
  if (feed.position.joinedAt > 0) summary.joined.push(feed.source.path);
}

function emptySummary() {
  return {
    files: { read: 0, unchanged: 0, failed: [] as { path: string; reason: string }[] },
    sessions: 0,
    calls: 0,
    compactions: 0,
    bytes: 0,
    notes: { undecodable: 0, synthetic: 0, invalid: 0, usageConflicts: 0 },
    /** Files with earlier lines that `watch` skipped; import skips these lines too. */
    joined: [] as string[],
  };
}
