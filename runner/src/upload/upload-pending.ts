/** Uploads the archives that the server lacks: once, or in the background. */
import { noteArchive, readArchiveIndex } from '../archive/archive-index';
import type { ArchiveEntry } from '../archive/archive-types';
import { recoverIndex } from '../archive/list-archives';
import { messageOf } from '../guard';
import { ArchiveEndpoints } from './archive-server';
import { pause, UploadFailure } from './retry';
import { type EntryOutcome, type EntryUpload, isWantedAt, uploadEntry } from './upload-entry';

export interface PendingUpload extends EntryUpload {
  /** Selects pending archives; default: all. */
  isWanted?(entry: ArchiveEntry): boolean;
  /** Called before each upload. `index` starts at 0. */
  onBegin?(entry: ArchiveEntry, index: number, total: number): void;
  onOutcome?(entry: ArchiveEntry, outcome: EntryOutcome): void | Promise<void>;
}

export interface PendingSummary {
  stored: number;
  refused: number;
  waiting: number;
  /** Why the first waiting archive waits. */
  reason: string | null;
  /** Total bytes of the stored archives. */
  bytes: number;
  /** Bytes sent for the stored archives, before compression. */
  sentBytes: number;
}

/**
 * Upload pending archives, oldest first; stop when the server cannot take any archive at the moment.
 * @throws what the file system throws for an unreadable index; the signal's reason.
 */
export async function uploadPending(pending: PendingUpload): Promise<PendingSummary> {
  const { configFolder, isWanted = () => true, onBegin, onOutcome, options } = pending;
  const candidates = (await readArchiveIndex(configFolder)).entries.filter(isWanted);
  const counts = { stored: 0, refused: 0, waiting: 0, bytes: 0, sentBytes: 0 };
  const summary: PendingSummary = { ...counts, reason: null };
  if (!candidates.some(({ state, upload }) => state === 'stored' && upload !== 'none')) return summary;
  const endpoints = new ArchiveEndpoints(pending.server, options);
  let serverId: string;
  try {
    serverId = await endpoints.identify();
  } catch (error) {
    if (!(error instanceof UploadFailure)) throw error;
    const waiting = candidates.filter(({ upload }) => upload === 'pending');
    const note = { uploadReason: error.message, uploadCode: null };
    const [first] = waiting;
    if (first !== undefined) await noteArchive(configFolder, first.id, note).catch(() => undefined);
    return { ...summary, waiting: waiting.length, reason: error.message };
  }
  const wanted: ArchiveEntry[] = [];
  for (const entry of candidates) if (await isWantedAt(entry, serverId)) wanted.push(entry);
  const full = new Set<string>();
  for (const [index, entry] of wanted.entries()) {
    options?.signal?.throwIfAborted();
    if (full.has(entry.project ?? '')) {
      summary.waiting += 1;
      continue;
    }
    onBegin?.(entry, index, wanted.length);
    const outcome = await uploadEntry(entry, pending, endpoints, serverId);
    await onOutcome?.(entry, outcome);
    summary[outcome.state] += 1;
    if (outcome.state === 'stored') {
      summary.bytes += entry.bytes ?? 0;
      summary.sentBytes += outcome.sent.bytes;
    }
    if (outcome.state !== 'waiting') continue;
    const { reason, failure, project } = outcome;
    summary.reason ??= reason;
    if (failure?.isProjectFull) full.add(project);
    else if (failure !== null) {
      // The other archives would fail too.
      summary.waiting += wanted.length - index - 1;
      break;
    }
  }
  return summary;
}

export interface BackgroundUploadOptions extends Omit<EntryUpload, 'options'> {
  onOutcome: NonNullable<PendingUpload['onOutcome']>;
  /** A problem that concerns no single archive, such as an unreadable index. */
  onProblem(reason: string): void;
  timing?: Partial<typeof BACKGROUND_TIMING>;
}

const BACKGROUND_TIMING = {
  /** Pause between two reads of the index, to which hooks in other processes write. */
  lookMs: 60_000,
  /** Pause after a read that left archives waiting; doubled each time, up to `capMs`. */
  baseMs: 5_000,
  capMs: 15 * 60_000,
  patienceMs: 5_000,
};

/** Uploads pending archives one by one in the background. */
export class BackgroundUpload {
  readonly #options: BackgroundUploadOptions;
  readonly #timing: typeof BACKGROUND_TIMING;
  readonly #ended = new AbortController();
  #woken = new AbortController();
  #running: Promise<void> | null = null;

  constructor(options: BackgroundUploadOptions) {
    this.#options = options;
    this.#timing = { ...BACKGROUND_TIMING, ...options.timing };
  }

  wake(): void {
    this.#woken.abort();
    this.#running ??= this.#run();
  }

  /** Interrupt the upload in progress; the next process resumes it. */
  async stop(): Promise<void> {
    this.#ended.abort(new Error('stopped'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { lookMs, baseMs, capMs } = this.#timing;
    for (let failures = 0; !this.#ended.signal.aborted; ) {
      this.#woken = new AbortController();
      const waiting = await this.#look();
      const pauseMs = waiting > 0 ? Math.min(capMs, baseMs * 2 ** failures) : lookMs;
      failures = waiting > 0 ? failures + 1 : 0;
      const signal = AbortSignal.any([this.#ended.signal, this.#woken.signal]);
      await pause(pauseMs, signal, true).catch(() => undefined);
    }
  }

  async #look(): Promise<number> {
    const { onProblem, ...upload } = this.#options;
    const { patienceMs } = this.#timing;
    const options = { signal: this.#ended.signal, timing: { patienceMs } };
    try {
      await recoverIndex(upload.configFolder);
      return (await uploadPending({ ...upload, options })).waiting;
    } catch (error) {
      if (this.#ended.signal.aborted) return 0;
      onProblem(messageOf(error));
      return 1;
    }
  }
}
