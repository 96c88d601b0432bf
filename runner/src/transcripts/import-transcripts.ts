/**
 * Imports transcripts: every unsent line becomes items, in order, as a back-fill. The read position is saved per
 * file, so a second run finds nothing and a grown file gives only its new lines; without that state the server
 * recognises what it has.
 */
import type { RefusedItem } from '../client/client-types';
import type { RunnerSettings } from '../settings';
import { readMainProject, type TranscriptSession, type TranscriptSource } from './collect-sources';
import type { FeedStore } from './feed-store';
import { type ClientPool, waitForRoom } from './project-clients';
import { isCompaction, TranscriptFeed } from './transcript-feed';

export interface ImportProgress {
  bytes: number;
  totalBytes: number;
  files: number;
  totalFiles: number;
  calls: number;
  path: string;
}

export interface ImportSummary {
  files: { read: number; unchanged: number; failed: { path: string; reason: string }[] };
  sessions: number;
  /** API calls and compactions found in what was read. */
  calls: number;
  compactions: number;
  bytes: number;
  /** Sums over the files of what was left out. */
  notes: { glued: number; undecodable: number; synthetic: number; invalid: number; usageConflicts: number };
  remarks: { path: string; line: number; reason: string }[];
  /** Files that were followed from the middle: their earlier lines stay out. */
  joined: string[];
}

export interface ImportDependencies {
  settings: RunnerSettings;
  store: FeedStore;
  clients: ClientPool;
  signal: AbortSignal;
  /** Read every file from its start, whatever was sent before. */
  again: boolean;
  onProgress(progress: ImportProgress): void;
  /** A compaction was read in that file, from `joinedAt` on; the read position is saved once it resolves. */
  onCompaction?(source: TranscriptSource, project: string, joinedAt: number): Promise<void>;
}

export async function importTranscripts(
  sessions: readonly TranscriptSession[],
  dependencies: ImportDependencies,
): Promise<ImportSummary> {
  const all = sessions.flatMap(({ sources }) => sources);
  const progress: ImportProgress = {
    bytes: 0,
    totalBytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    files: 0,
    totalFiles: all.length,
    calls: 0,
    path: '',
  };
  const summary = emptySummary();
  for (const session of sessions) {
    const readBefore = summary.files.read;
    const project = await projectOf(session, dependencies);
    for (const source of session.sources) {
      if (dependencies.signal.aborted) return summary;
      progress.path = source.path;
      try {
        await importFile(source, session, project, dependencies, summary, progress);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        summary.files.failed.push({ path: source.path, reason });
      }
      progress.files += 1;
      dependencies.onProgress(progress);
    }
    if (summary.files.read > readBefore) summary.sessions += 1;
  }
  return summary;
}

async function importFile(
  source: TranscriptSource,
  session: TranscriptSession,
  project: string,
  { settings, store, clients, signal, again, onProgress, onCompaction }: ImportDependencies,
  summary: ImportSummary,
  progress: ImportProgress,
): Promise<void> {
  const known = again ? undefined : store.read(source.path);
  // Under another project it is another session, which has nothing yet.
  const saved = known?.project === project ? known : undefined;
  const feed = new TranscriptFeed({
    source,
    project,
    announces: source.identity.chain === null || !session.hasMain,
    content: settings.content,
    owners: store.owners,
    ...(saved === undefined ? {} : { saved }),
  });
  const start = progress.bytes;
  const skipped = Math.min(feed.offset, source.bytes);
  progress.bytes += skipped;
  let hasRead = false;
  const send = async (items: Awaited<ReturnType<typeof feed.settle>>) => {
    if (items.length === 0) return;
    const client = await clients.of(project);
    await waitForRoom(client, signal);
    for (const item of items) client.send(item.type === 'session_start' ? { ...item, backfill: true } : item);
  };
  let batches = 0;
  for await (const batch of feed.pull(signal)) {
    hasRead = true;
    await send(batch.items);
    // Once for the whole file, and once more for lines appended meanwhile.
    if (batch.items.some(isCompaction)) {
      if (batches === 0) await onCompaction?.(source, project, feed.joinedAt);
      batches += 1;
    }
    store.write(feed.state());
    summary.bytes += batch.bytes;
    progress.bytes = Math.min(start + source.bytes, progress.bytes + batch.bytes);
    onProgress(progress);
  }
  progress.bytes = start + source.bytes;
  if (!hasRead) {
    summary.files.unchanged += 1;
    return;
  }
  if (batches > 1) await onCompaction?.(source, project, feed.joinedAt);
  await send(feed.settle());
  store.write(feed.state());
  summary.files.read += 1;
  const { counts, remarks } = feed.parser;
  summary.calls += counts.calls;
  summary.compactions += counts.compactions;
  progress.calls += counts.calls;
  for (const name of ['glued', 'undecodable', 'synthetic', 'invalid', 'usageConflicts'] as const) {
    summary.notes[name] += counts[name];
  }
  summary.remarks.push(...remarks.map((remark) => ({ path: source.path, ...remark })));
  if (feed.joinedAt > 0) summary.joined.push(source.path);
}

/** All files of a session join one project: the given one, the one it joined before, or its main file's. */
async function projectOf(
  session: TranscriptSession,
  { settings, store }: ImportDependencies,
): Promise<string> {
  if (settings.project !== null) return settings.project;
  for (const { path } of session.sources) {
    const known = store.read(path)?.project;
    if (known !== undefined) return known;
  }
  const [first] = session.sources;
  return first === undefined ? 'default' : readMainProject(first);
}

function emptySummary(): ImportSummary {
  return {
    files: { read: 0, unchanged: 0, failed: [] },
    sessions: 0,
    calls: 0,
    compactions: 0,
    bytes: 0,
    notes: { glued: 0, undecodable: 0, synthetic: 0, invalid: 0, usageConflicts: 0 },
    remarks: [],
    joined: [],
  };
}

/** Refusals by session, for the summary: the first few of each, and how many. */
export class RefusalList {
  readonly bySession = new Map<string, { count: number; first: RefusedItem[] }>();

  add(refused: RefusedItem): void {
    const name = refused.session ?? '(no session)';
    const entry = this.bySession.get(name) ?? { count: 0, first: [] };
    this.bySession.set(name, entry);
    entry.count += 1;
    if (entry.first.length < 3) entry.first.push(refused);
  }
}
