/**
 * Hands pending archives over beside other work, one after the other. It owns a timer and the upload under way: it
 * looks into the index when it is woken and once a minute, since hooks of other processes write there, too. What the
 * server cannot take now waits for the next look, with pauses that grow.
 */
import type { ArchiveEntry } from '../archive/archive-types';
import type { EntryUpload } from './upload-entry';
import { type PendingUpload, uploadPending } from './upload-pending';

export interface BackgroundUploadOptions extends Omit<EntryUpload, 'options'> {
  onOutcome: NonNullable<PendingUpload['onOutcome']>;
  /** Something that is not about one archive, as an index that cannot be read. */
  onProblem(reason: string): void;
  now(): number;
  timing?: Partial<BackgroundTiming>;
}

export interface BackgroundTiming {
  /** Between two looks, milliseconds. */
  lookMs: number;
  /** After a look at the end of which something waits; doubled each time, up to `capMs`. */
  baseMs: number;
  capMs: number;
  /** A hook's own process hands its archive over; it is left alone for so long. */
  youngMs: number;
  /** How long one step is tried before the archive waits. */
  patienceMs: number;
}

const TIMING: BackgroundTiming = {
  lookMs: 60_000,
  baseMs: 5_000,
  capMs: 15 * 60_000,
  youngMs: 120_000,
  patienceMs: 5_000,
};

export class BackgroundUpload {
  readonly #options: BackgroundUploadOptions;
  readonly #timing: BackgroundTiming;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #isWoken = false;
  #failures = 0;

  constructor(options: BackgroundUploadOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
  }

  /** There may be something to hand over. */
  wake(): void {
    if (this.#ended.signal.aborted) return;
    this.#isWoken = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Breaks off what is under way; it goes on with the next process. */
  async stop(): Promise<void> {
    this.#ended.abort(new Error('stopped'));
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    let waiting = 0;
    while (this.#isWoken && !this.#ended.signal.aborted) {
      this.#isWoken = false;
      waiting = await this.#look();
    }
    if (this.#ended.signal.aborted) return;
    this.#failures = waiting > 0 ? this.#failures + 1 : 0;
    const { lookMs, baseMs, capMs } = this.#timing;
    const pauseMs = waiting > 0 ? Math.min(capMs, baseMs * 2 ** (this.#failures - 1)) : lookMs;
    this.#timer = setTimeout(() => this.wake(), pauseMs);
    this.#timer.unref();
  }

  /** @returns how many wait for the server. */
  async #look(): Promise<number> {
    const { onProblem, now, ...upload } = this.#options;
    const { youngMs, patienceMs } = this.#timing;
    const isYoung = (entry: ArchiveEntry) =>
      entry.asOf === 'hook' && now() - Date.parse(entry.at) < youngMs && now() >= Date.parse(entry.at);
    try {
      const { waiting } = await uploadPending({
        ...upload,
        isWanted: (entry) => !isYoung(entry),
        options: { signal: this.#ended.signal, timing: { patienceMs } },
      });
      return waiting;
    } catch (error) {
      if (this.#ended.signal.aborted) return 0;
      onProblem(error instanceof Error ? error.message : String(error));
      return 1;
    }
  }
}
