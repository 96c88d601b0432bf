/**
 * Follows all transcripts below some folders: new lines, files and folders, as they appear.
 *
 * Owns the known files with their sizes, one feed per file that is being written, and the order of work: one task per
 * file at a time. A sweep through the tree finds every change, and hints of the system make it quick. No library: one
 * of chokidar's watchers took an inotify watch per transcript (6,061 for 6,000 files, 62 MB of memory); this one takes
 * at most 256 and finds a new file deep in the tree within one sweep.
 */
import { sep } from 'node:path';
import type { TranscriptItem } from '../../../core/agents/agent-format';
import type { RunnerSettings } from '../settings';
import { claimCopiedCalls } from './claim-copied-calls';
import { readMainProject, readSource, sweepFolder, type TranscriptSource } from './collect-sources';
import type { FeedStore } from './feed-store';
import { FolderHints } from './folder-hints';
import { LiveModes } from './live-mode';
import { type ClientPool, waitForRoom } from './project-clients';
import { isCompaction, TranscriptFeed } from './transcript-feed';

export interface WatcherOptions {
  settings: RunnerSettings;
  store: FeedStore;
  clients: ClientPool;
  roots: readonly string[];
  /** Also send the lines from before the files were first followed. */
  fromStart: boolean;
  now(): number;
  /** The baseline is recorded: every line written from now on counts. */
  onBegin?(): void;
  onFollow?(path: string): void;
  /** A compaction was read in that file, from `joinedAt` on; the read position is saved once it resolves. */
  onCompaction?(source: TranscriptSource, project: string, joinedAt: number): Promise<void>;
  onProblem?(path: string, reason: string): void;
  timing?: Partial<WatcherTiming>;
}

export interface WatcherTiming {
  /** Between two sweeps through the tree, milliseconds; a slow sweep lengthens it. */
  sweepMs: number;
  /** Between two looks at a file that is being written. */
  hotMs: number;
  /** How long to wait for further lines of a call before it is sent. */
  quietMs: number;
}

export interface WatcherStats {
  files: number;
  active: number;
  calls: number;
  compactions: number;
}

interface ActiveFile {
  feed: TranscriptFeed;
  changedAt: number;
  quiet: NodeJS.Timeout | null;
}

const TIMING: WatcherTiming = { sweepMs: 2_000, hotMs: 300, quietMs: 400 };
/** A file without writes for this long is closed; its state is on disk. */
const COLD_AFTER_MS = 600_000;

export class TranscriptWatcher {
  readonly #options: WatcherOptions;
  readonly #timing: WatcherTiming;
  readonly #sizes = new Map<string, number>();
  readonly #baselines = new Map<string, Map<string, number>>();
  readonly #active = new Map<string, ActiveFile>();
  readonly #tasks: FileTasks;
  /** Files that are no transcripts, by the size at which they were looked at. */
  readonly #strangers = new Map<string, number>();
  readonly #modes: LiveModes;
  readonly #hints: FolderHints;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Files with a look that has not begun. */
  readonly #asked = new Set<string>();
  #sweeping: Promise<void> | null = null;
  #sweepAgain = false;
  #closed = false;
  #counts = { calls: 0, compactions: 0 };

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#tasks = new FileTasks((path, reason) => options.onProblem?.(path, reason));
    this.#timing = { ...TIMING, ...options.timing };
    this.#modes = new LiveModes({ lens: 'snapshot', host: options.settings.host });
    this.#hints = new FolderHints((path) => {
      // A new folder or file: the sweep finds out which.
      if (this.#sizes.has(path)) this.#schedule(path);
      else void this.#sweepSoon();
    });
  }

  /** Resolve when all earlier lines due were sent, and following has begun. */
  async start(): Promise<void> {
    for (const root of this.#options.roots) await this.#takeBaseline(root);
    this.#options.onBegin?.();
    await this.#sweep();
    await this.#tasks.idle();
    this.#again('sweep', this.#timing.sweepMs, () => this.#sweep());
    this.#again('hot', this.#timing.hotMs, async () => this.#lookAtHot());
  }

  /** Read and send the remaining lines, save the state, and end. */
  async stop(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#hints.close();
    for (const path of this.#active.keys()) {
      this.#tasks.enqueue(path, () => this.#read(path));
      this.#tasks.enqueue(path, () => this.#settle(path));
    }
    await this.#tasks.idle();
  }

  stats(): WatcherStats {
    return { files: this.#sizes.size, active: this.#active.size, ...this.#counts };
  }

  async #takeBaseline(root: string): Promise<void> {
    const { store, fromStart } = this.#options;
    const known = store.readBaseline(root);
    if (known !== null) this.#baselines.set(root, known);
    else {
      const sizes = fromStart ? new Map<string, number>() : (await sweepFolder(root)).sizes;
      store.writeBaseline(root, sizes);
      this.#baselines.set(root, sizes);
    }
  }

  async #sweepSoon(): Promise<void> {
    if (this.#sweeping !== null) this.#sweepAgain = true;
    else await this.#sweep();
  }

  #sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepOnce().finally(() => {
      this.#sweeping = null;
      if (!this.#sweepAgain || this.#closed) return;
      this.#sweepAgain = false;
      void this.#sweep();
    });
    return this.#sweeping;
  }

  async #sweepOnce(): Promise<void> {
    for (const root of this.#options.roots) {
      const { sizes, folders } = await sweepFolder(root);
      if (this.#closed) return;
      this.#hints.follow([root, ...folders]);
      for (const [path, size] of sizes) {
        const before = this.#sizes.get(path);
        this.#sizes.set(path, size);
        if (before === undefined ? this.#isNews(root, path, size) : before !== size) this.#schedule(path);
      }
      for (const path of this.#sizes.keys()) {
        if (path.startsWith(root + sep) && !sizes.has(path)) this.#sizes.delete(path);
      }
    }
  }

  /** Whether a file seen for the first time holds unsent lines. */
  #isNews(root: string, path: string, size: number): boolean {
    const saved = this.#options.store.read(path);
    if (saved !== undefined) return saved.offset !== size;
    if (this.#options.fromStart) return size > 0;
    return this.#baselines.get(root)?.get(path) !== size;
  }

  #lookAtHot(): void {
    const now = this.#options.now();
    for (const [path, { changedAt, quiet }] of this.#active) {
      if (now - changedAt > COLD_AFTER_MS && quiet === null && !this.#tasks.isBusy(path))
        this.#active.delete(path);
      else this.#schedule(path);
    }
  }

  /** Look at a file once; requests during a look become one further look. */
  #schedule(path: string): void {
    if (this.#closed || this.#asked.has(path)) return;
    this.#asked.add(path);
    this.#tasks.enqueue(path, () => {
      this.#asked.delete(path);
      return this.#read(path);
    });
  }

  async #read(path: string): Promise<void> {
    const file = this.#active.get(path) ?? (await this.#open(path));
    if (file === null) return;
    let hasRead = false;
    for await (const batch of file.feed.pull()) {
      hasRead = true;
      await this.#send(file.feed, batch.items);
      if (batch.items.some(isCompaction))
        await this.#options.onCompaction?.(file.feed.source, file.feed.project, file.feed.joinedAt);
      this.#options.store.write(file.feed.state());
    }
    if (!hasRead) return;
    file.changedAt = this.#options.now();
    if (file.quiet !== null) clearTimeout(file.quiet);
    file.quiet = setTimeout(() => {
      file.quiet = null;
      this.#tasks.enqueue(path, () => this.#settle(path));
    }, this.#timing.quietMs);
  }

  /** After a pause the newest call is sent; a later line amends it. */
  async #settle(path: string): Promise<void> {
    const file = this.#active.get(path);
    if (file === undefined) return;
    if (file.quiet !== null) clearTimeout(file.quiet);
    file.quiet = null;
    const items = file.feed.settle();
    if (items.length === 0) return;
    await this.#send(file.feed, items);
    this.#options.store.write(file.feed.state());
  }

  async #open(path: string): Promise<ActiveFile | null> {
    const { settings, store, fromStart } = this.#options;
    const size = this.#sizes.get(path) ?? 0;
    if (this.#strangers.get(path) === size) return null;
    const source = await readSource(path);
    if (source === null) {
      this.#strangers.set(path, size);
      return null;
    }
    const saved = store.read(path);
    const { session, chain } = source.identity;
    const project =
      settings.project ?? saved?.project ?? store.projectOf(session) ?? (await readMainProject(source));
    const isContinued = saved !== undefined && saved.project === project;
    const feed = new TranscriptFeed({
      source,
      project,
      announces: chain === null,
      content: settings.content,
      owners: store.owners,
      ...(isContinued ? { saved } : {}),
    });
    if (!isContinued && chain === null) await claimCopiedCalls(source, store.owners);
    const joinAt = isContinued || fromStart ? 0 : this.#baselineOf(path);
    if (joinAt > 0 && joinAt <= source.bytes) await this.#join(feed, joinAt);
    const file: ActiveFile = { feed, changedAt: this.#options.now(), quiet: null };
    this.#active.set(path, file);
    this.#options.onFollow?.(path);
    return file;
  }

  /** Read the lines before `offset` for the facts of the session, and report the number of skipped calls. */
  async #join(feed: TranscriptFeed, offset: number): Promise<void> {
    await feed.joinAt(offset);
    const { calls } = feed.parser.counts;
    if (calls === 0) return;
    const { session, chain } = feed.source.identity;
    await this.#send(feed, [
      {
        type: 'gap',
        session,
        at: feed.parser.lastAt ?? this.#options.now(),
        count: calls,
        reason: 'followed from here on',
        ...(chain === null ? {} : { chain }),
      },
    ]);
  }

  #baselineOf(path: string): number {
    for (const [root, sizes] of this.#baselines) if (path.startsWith(root + sep)) return sizes.get(path) ?? 0;
    return 0;
  }

  async #send(feed: TranscriptFeed, items: readonly TranscriptItem[]): Promise<void> {
    if (items.length === 0) return;
    const client = await this.#options.clients.of(feed.project);
    await waitForRoom(client);
    for (const item of this.#modes.mark(items, this.#options.now(), feed.source.format.name))
      client.send(item);
    for (const item of items) {
      if (item.type === 'turn') this.#counts.calls += 1;
      if (item.type === 'compaction') this.#counts.compactions += 1;
    }
  }

  /** Repeat with a pause that grows with the work, so that a huge tree never takes a whole core. */
  #again(name: string, pauseMs: number, work: () => Promise<void>): void {
    const round = async () => {
      const began = this.#options.now();
      await work().catch((error: unknown) => this.#options.onProblem?.(name, String(error)));
      if (this.#closed) return;
      const tookMs = this.#options.now() - began;
      this.#timers.set(name, setTimeout(round, Math.max(pauseMs, 10 * tookMs)));
    };
    this.#timers.set(name, setTimeout(round, pauseMs));
  }
}

/** Tasks of one file run in sequence, so that its items are sent in order; files do not wait for each other. */
class FileTasks {
  readonly #running = new Map<string, Promise<void>>();
  readonly #onProblem: (path: string, reason: string) => void;

  constructor(onProblem: (path: string, reason: string) => void) {
    this.#onProblem = onProblem;
  }

  isBusy(path: string): boolean {
    return this.#running.has(path);
  }

  enqueue(path: string, task: () => Promise<void>): void {
    const work = (this.#running.get(path) ?? Promise.resolve())
      .then(task)
      .catch((error: unknown) =>
        this.#onProblem(path, error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        if (this.#running.get(path) === work) this.#running.delete(path);
      });
    this.#running.set(path, work);
  }

  /** Resolve when all tasks are done. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
}
