/**
 * Follows all transcripts below some folders.
 *
 * Owns the sizes and times of known files, one feed per active file, one loop that reads active files often, and one loop that
 * sweeps the tree for others. It polls: for 6,000 files, chokidar needed 6,061 watches and 62 MB.
 */
import { sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../guard';
import { claimCopiedCalls } from './claim-copied-calls';
import { ClientProcesses } from './client-processes';
import { readHead, readSource, type TranscriptSource } from './collect-sources';
import { CompressedFileError, isCompressed, plainPathOf } from './compressed-files';
import { fileOf, isDatabase } from './database-sources';
import { LiveModes } from './live-mode';
import { type TranscriptDestination, TranscriptSender } from './send-transcript';
import { type SweptFile, sweepFolder } from './sweep-folder';
import { stampFrom, type TranscriptFeed } from './transcript-feed';

export interface WatcherOptions extends TranscriptDestination {
  roots: readonly string[];
  /** Also send lines from before the first watch. */
  fromStart: boolean;
  now(): number;
  /** The baseline is recorded: every line written from now on is sent. */
  onBegin?(): void;
  onFollow?(path: string): void;
  onProblem?(path: string, reason: string): void;
  timing?: Partial<typeof TIMING>;
}

interface ActiveFile {
  feed: TranscriptFeed;
  /** By the monotonic clock. */
  changedAt: number;
  /** The file's newest call may be waiting for further lines. */
  isOpen: boolean;
}

/**
 * Milliseconds. A slow sweep lengthens `sweepMs`. `quietMs` is the wait for further lines of a call. It is shorter than
 * `hotMs`, so that the next poll ends the wait. If a further line arrives seconds later, it amends the call.
 */
const TIMING = { sweepMs: 1_000, hotMs: 75, quietMs: 60 };
/** A file without writes for this long is closed; its state is on disk. */
const COLD_AFTER_MS = 600_000;
const UNDECIDED_BYTES = 1024 * 1024;

export class TranscriptWatcher {
  readonly #options: WatcherOptions;
  readonly #timing: typeof TIMING;
  readonly #sender: TranscriptSender;
  readonly #files = new Map<string, SweptFile>();
  readonly #processes = new ClientProcesses();
  readonly #baselines = new Map<string, ReadonlyMap<string, number>>();
  readonly #active = new Map<string, ActiveFile>();
  /** Files that are not transcripts or name no folder yet, with their size and time at the last read. */
  readonly #strangers = new Map<string, string>();
  /** What the sweeps found since the last look: changed files, and files of sessions that lost their process. */
  readonly #changed = new Set<string>();
  readonly #killed = new Set<string>();
  /** Folders, links and databases that the last sweep could not read completely, with the reasons. */
  #leftOut = new Map<string, string>();
  /** Errors of files that could not be followed. After the next sweep, a file is opened again at its saved position. */
  readonly #failed = new Map<string, string>();
  #loops: Promise<void>[] = [];
  readonly #ended = new AbortController();

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    const modes = new LiveModes();
    const { host } = options.settings;
    this.#sender = new TranscriptSender(options, (items, { format }) =>
      modes.mark(items, options.now(), { client: format.name, lens: 'snapshot', host }),
    );
  }

  /** Resolves when earlier lines are sent and the loop runs. */
  async start(): Promise<void> {
    const { store, fromStart, roots, onBegin } = this.#options;
    for (const root of roots) {
      const known = store.readBaseline(root);
      const sizes = known ?? (fromStart ? new Map<string, number>() : await this.#readBaseline(root));
      if (known === null) store.writeBaseline(root, sizes);
      this.#baselines.set(root, sizes);
    }
    onBegin?.();
    const sweep = () => this.#guard('sweep', () => this.#sweep());
    await sweep();
    await this.#lookAround();
    const { sweepMs, hotMs } = this.#timing;
    // The pause grows with the time of the work, so that a huge tree does not occupy a core.
    this.#loops = [
      this.#repeat(sweep, (workMs) => Math.max(sweepMs, 10 * workMs)),
      this.#repeat(
        () => this.#lookAround(),
        (workMs) => Math.max(hotMs - workMs, workMs),
      ),
    ];
  }

  /** Without the sessions of a database that cannot be read completely. */
  async #readBaseline(root: string): Promise<Map<string, number>> {
    const unread = new Set<string>();
    const onLeftOut = (path: string) => unread.add(path);
    const found = await sweepFolder(root, { roots: this.#options.roots, onLeftOut });
    const read = [...found].filter(([path]) => !unread.has(fileOf(path)));
    return new Map(read.map(([path, { size }]) => [path, size]));
  }

  async stop(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    await Promise.all(this.#loops);
    for (const [path, file] of this.#active) {
      await this.#guard(path, async () => {
        await this.#read(file);
        await this.#sender.settle(file.feed);
      });
    }
  }

  stats(): { files: number; calls: number; compactions: number } {
    return { files: this.#files.size, ...this.#sender.sent };
  }

  async #repeat(work: () => Promise<void>, pauseMs: (workMs: number) => number): Promise<void> {
    const { signal } = this.#ended;
    let workMs = 0;
    while (!signal.aborted) {
      await setTimeout(pauseMs(workMs), undefined, { signal }).catch(() => undefined);
      const began = performance.now();
      if (!signal.aborted) await work();
      workMs = performance.now() - began;
    }
  }

  async #lookAround(): Promise<void> {
    const due = new Set(this.#changed);
    const killed = [...this.#killed];
    this.#changed.clear();
    this.#killed.clear();
    const began = performance.now();
    for (const [path, { changedAt, isOpen }] of this.#active) {
      if (!isOpen && began - changedAt > COLD_AFTER_MS) this.#active.delete(path);
      else due.add(path);
    }
    for (const path of due) if (!this.#ended.signal.aborted) await this.#guard(path, () => this.#look(path));
    for (const path of killed) await this.#guard(path, () => this.#reportCrash(path));
  }

  async #guard(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      if (this.#active.get(path)?.isOpen !== true) this.#failed.delete(path);
    } catch (error) {
      const reason = messageOf(error);
      if (this.#failed.get(path) !== reason) this.#options.onProblem?.(path, reason);
      // A damaged file is read again after it changes.
      if (error instanceof CompressedFileError) this.#strangers.set(path, this.#stampOf(path));
      else this.#failed.set(path, reason);
      // The feed may have read lines that were not sent.
      this.#active.delete(path);
    }
  }

  async #sweep(): Promise<void> {
    const { roots } = this.#options;
    const linked = new Set<string>();
    const leftOut = new Map<string, string>();
    for (const root of roots) {
      const found = await sweepFolder(root, {
        roots,
        linked,
        onLeftOut: (path, reason) => leftOut.set(path, isDatabase(path) ? reason : `left out: ${reason}`),
      });
      if (this.#ended.signal.aborted) return;
      for (const [path, file] of found) {
        const before = this.#files.get(path);
        this.#files.set(path, file);
        if (before !== undefined && stampOf(before) === stampOf(file)) continue;
        const hasOtherSize = before !== undefined && before.size !== file.size;
        if (hasOtherSize || this.#isNews(path, file)) this.#changed.add(path);
      }
      for (const path of this.#files.keys()) {
        if (isBelow(path, root) && !found.has(path)) this.#files.delete(path);
      }
      for (const path of this.#failed.keys()) if (found.has(path)) this.#changed.add(path);
      for (const id of this.#processes.takeKilled(root)) {
        const path = [...found.keys()].find((each) => each.endsWith(`${sep}${id}.jsonl`));
        if (path !== undefined) this.#killed.add(path);
      }
    }
    for (const [path, reason] of leftOut)
      if (this.#leftOut.get(path) !== reason) this.#options.onProblem?.(path, reason);
    this.#leftOut = leftOut;
  }

  async #reportCrash(path: string): Promise<void> {
    await this.#look(path);
    const feed = this.#active.get(path)?.feed;
    if (feed === undefined) return;
    await this.#sender.settle(feed);
    const { session } = feed.source.identity;
    await this.#sender.send(feed, [
      { type: 'session_end', session, at: this.#options.now(), reason: 'crash' },
    ]);
  }

  /** Whether a file holds unsent lines, or was written since its last read. */
  #isNews(path: string, file: SweptFile): boolean {
    const saved = this.#options.store.read(path);
    if (isCompressed(path)) return saved === undefined ? !this.#isOld(path) : saved.packed !== file.size;
    const { offset = this.#joinAt(path), seen = '' } = saved ?? {};
    return offset !== file.size || (seen !== '' && seen !== stampOf(file));
  }

  #joinAt(path: string): number {
    if (this.#options.fromStart) return 0;
    if (isCompressed(path) && this.#isOld(path)) return Number.POSITIVE_INFINITY;
    const sizes = this.#baselineOf(path);
    const known = sizes?.get(plainPathOf(path));
    if (known !== undefined || sizes === undefined || !isDatabase(path)) return known ?? 0;
    // If the first watch could not read the database, the times of the calls decide.
    const isUnknown = ![...sizes.keys()].some((each) => fileOf(each) === fileOf(path));
    return isUnknown ? 1 : 0;
  }

  /** Whether the first watch saw this file in the same form. */
  #isOld(path: string): boolean {
    return !this.#options.fromStart && this.#baselineOf(path)?.has(path) === true;
  }

  #addToBaseline({ path, bytes }: TranscriptSource): void {
    for (const [root, sizes] of this.#baselines) {
      if (!isBelow(path, root)) continue;
      const added = new Map([...sizes, [path, bytes]]);
      this.#baselines.set(root, added);
      this.#options.store.writeBaseline(root, added);
    }
  }

  #baselineOf(path: string): ReadonlyMap<string, number> | undefined {
    return [...this.#baselines].find(([root]) => isBelow(path, root))?.[1];
  }

  #baselineAt(path: string): number {
    const root = [...this.#baselines.keys()].find((each) => isBelow(path, each));
    return root === undefined ? 0 : this.#options.store.baselineAt(root);
  }

  async #look(path: string): Promise<void> {
    const file = this.#active.get(path) ?? (await this.#open(path));
    if (file === null) return;
    const hasRead = await this.#read(file);
    const now = performance.now();
    const quietMs = Math.max(this.#timing.quietMs, file.feed.parser.holdMs ?? 0);
    if (hasRead) {
      file.changedAt = now;
      file.isOpen = true;
    } else if (file.isOpen && now - file.changedAt >= quietMs) {
      file.isOpen = false;
      await this.#sender.settle(file.feed);
    }
  }

  async #read({ feed }: ActiveFile): Promise<boolean> {
    let hasRead = false;
    for await (const _ of this.#sender.pull(feed)) hasRead = true;
    return hasRead;
  }

  /** Size and time of a file at the last sweep. */
  #stampOf(path: string): string {
    const file = this.#files.get(path);
    return file === undefined ? '' : stampOf(file);
  }

  async #open(path: string): Promise<ActiveFile | null> {
    const stamp = this.#stampOf(path);
    const source = this.#strangers.get(path) === stamp ? null : await readSource(path);
    if (source === null || (await this.#isUndecided(source))) {
      this.#strangers.set(path, stamp);
      return null;
    }
    const isMain = source.identity.chain === null;
    const { feed, isContinued } = await this.#sender.open(source, isMain);
    if (!isContinued && isMain) await claimCopiedCalls(source, this.#options.store.owners);
    const joinAt = isContinued ? 0 : this.#joinAt(path);
    const isThere = joinAt <= source.bytes || feed.isReadAgain || isCompressed(path);
    if (joinAt > 0 && isThere && !(await this.#join(feed, joinAt))) {
      this.#strangers.set(path, stamp);
      return null;
    }
    const file: ActiveFile = { feed, changedAt: performance.now(), isOpen: this.#failed.has(path) };
    this.#active.set(path, file);
    this.#options.onFollow?.(path);
    return file;
  }

  /** A file without a call waits until a line names its folder, because its parent folder may name another project. */
  async #isUndecided({ path, identity, format }: TranscriptSource): Promise<boolean> {
    if (this.#options.settings.project !== null || identity.folder !== null) return false;
    return (await readHead(path, UNDECIDED_BYTES))?.includes(format.callMark) === false;
  }

  /**
   * Read the lines before `offset` for the facts of the session, and report the number of skipped calls.
   * @returns whether the file may be followed
   */
  async #join(feed: TranscriptFeed, offset: number): Promise<boolean> {
    const { items, skipped } = await feed.joinAt(offset, this.#baselineAt(feed.source.path));
    // The client compressed a session that ended before the first watch. A later import still reads it.
    if (await feed.isWhollyRead()) {
      this.#addToBaseline(feed.source);
      return false;
    }
    if (skipped > 0) {
      const { session, chain } = feed.source.identity;
      const at = items[0]?.at ?? feed.parser.lastAt ?? this.#options.now();
      const gap = { type: 'gap', session, at, count: skipped, reason: 'followed from here on' } as const;
      await this.#sender.send(feed, [chain === null ? gap : { ...gap, chain }]);
    }
    await this.#sender.send(feed, items);
    await this.#sender.noteCompactions(feed, items);
    return true;
  }
}

const stampOf = ({ size, modifiedAt }: SweptFile) => stampFrom(size, modifiedAt);

/** Whether the path is in the folder, or is a session of the database `root`. */
const isBelow = (path: string, root: string) => path.startsWith(root + sep) || path.startsWith(`${root}#`);
