/**
 * Follows one transcript and parses it into items. A transcript is a file of lines, a document that the client rewrites,
 * or a session in a database.
 *
 * Owns the byte offset and the parser. Both can be saved after each batch, so a killed process continues after the last
 * saved batch. A file of lines that became shorter, or has other bytes at its start or before the offset, is read from
 * its start. If only its time changed, all its lines are compared too; an append never reads earlier lines. A document is
 * always read whole, and its parser returns only new items.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CallOwners, TranscriptItem, TranscriptParser } from '../../../core/agents/agent-format';
import { readBytes, readHead, readLastTime, type TranscriptSource } from './collect-sources';
import { isCompressed, plainPathOf } from './compressed-files';
import { readChangedLines, stampOf } from './database-sources';
import type { FeedState } from './feed-store';
import { readDocument, readLines } from './read-lines';
import { statNow } from './sweep-folder';

export interface FeedOptions {
  source: TranscriptSource;
  project: string;
  announces: boolean;
  content: boolean;
  owners: CallOwners;
  saved?: FeedState | undefined;
}

export interface FeedBatch {
  items: TranscriptItem[];
  bytes: number;
}

const PRINT_BYTES = 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
const NOTHING_READ = {
  offset: 0,
  joinedAt: 0,
  print: { bytes: 0, sha256: '' },
  edge: '',
  lines: '',
  seen: '',
  packed: 0,
};

export class TranscriptFeed {
  readonly source: TranscriptSource;
  readonly project: string;
  parser: TranscriptParser;
  readonly #options: FeedOptions;
  position: typeof NOTHING_READ;
  /** Stamp of the database at the last read by this process. */
  #stamp = '';

  constructor(options: FeedOptions) {
    const { source, project, saved } = options;
    this.#options = options;
    this.source = source;
    this.project = project;
    this.parser = this.#makeParser(saved?.parser);
    const { offset, joinedAt, print, edge, lines = '', seen = '', packed } = saved ?? NOTHING_READ;
    this.position = { offset, joinedAt, print, edge, lines, seen, packed };
  }

  /** Read the lines added since the last read, up to the current end of the file. A missing file has no lines. */
  async *pull(signal?: AbortSignal): AsyncGenerator<FeedBatch> {
    const { path } = this.source;
    if (this.kind === 'database') {
      yield* this.#pullChanges();
      return;
    }
    const info = statNow(path);
    if (info === null) return;
    const seen = stampFrom(info.size, info.mtimeMs);
    if (seen === this.position.seen) return;
    if (this.kind === 'document') {
      yield* this.#pullDocument(info.size, seen);
      return;
    }
    const isPacked = isCompressed(path);
    if (isPacked && info.size === this.position.packed) return;
    if (!(isPacked ? await this.#isSameContent() : await this.#isSameFile(info.size, signal))) {
      this.parser = this.#makeParser(undefined);
      this.position = { ...NOTHING_READ };
    }
    const position = this.position;
    const from = position.offset;
    if (isPacked || info.size !== from) {
      for await (const { lines, offset } of readLines(path, { from, signal })) {
        const items = lines.flatMap((line) => this.parser.line(line));
        const bytes = offset - position.offset;
        this.#advance(lines, offset);
        await this.#takePrints();
        yield { items, bytes };
      }
    }
    if (signal?.aborted === true) return;
    position.seen = seen;
    if (!isPacked) return;
    position.packed = info.size;
    // The caller saves the position after each batch, so that the file is not decompressed again.
    yield { items: [], bytes: 0 };
  }

  #advance(lines: readonly string[], offset: number): void {
    const { position } = this;
    if (position.offset === 0 || position.lines !== '') position.lines = printLines(position.lines, lines);
    position.offset = offset;
  }

  get kind() {
    const { format, path } = this.source;
    return format.readsAs(path);
  }

  /** Whether each read may return earlier records again. The parser leaves out such records. */
  get isReadAgain(): boolean {
    return this.kind !== 'lines';
  }

  async *#pullChanges(): AsyncGenerator<FeedBatch> {
    const { path } = this.source;
    const stamp = await stampOf(path);
    if (stamp === this.#stamp) return;
    const { offset } = this.position;
    const { lines, changed } = await readChangedLines(path, offset);
    this.#stamp = stamp;
    this.position.offset = changed;
    const items = lines.flatMap((line) => this.parser.line(line));
    if (items.length > 0 || changed !== offset) yield { items, bytes: 0 };
  }

  async *#pullDocument(size: number, seen: string): AsyncGenerator<FeedBatch> {
    const text = await readDocument(this.source.path);
    if (text === null) return;
    const sha256 = createHash('sha256').update(text).digest('hex');
    const isRead = sha256 === this.position.print.sha256;
    Object.assign(this.position, { offset: size, print: { bytes: size, sha256 }, seen });
    if (!isRead) yield { items: this.parser.line(text), bytes: size };
  }

  /**
   * Read the lines before `to` only for the facts of the session, and leave out their calls. Of a document or a database,
   * leave out the items up to `time`.
   * @returns the items after `time` of a document or a database, and the number of calls that were left out
   */
  async joinAt(to: number, time = Number.POSITIVE_INFINITY) {
    const items: TranscriptItem[] = [];
    if (this.isReadAgain) for await (const batch of this.pull()) items.push(...batch.items);
    else await this.#joinLines(to);
    this.parser.settle();
    this.position.joinedAt = this.position.offset;
    const isStart = ({ type }: TranscriptItem) => type === 'session_start';
    const later = items.filter((item) => isStart(item) || item.at > time);
    const isNews = !later.every(isStart);
    if (!isNews) this.parser.forgetAnnouncement();
    const calls = later.filter(({ type }) => type === 'turn').length;
    return { items: isNews ? later : [], skipped: this.parser.counts.calls - calls };
  }

  async #joinLines(to: number): Promise<void> {
    for await (const { lines, offset } of readLines(this.source.path, { from: 0, to })) {
      for (const line of lines) this.parser.line(line);
      this.#advance(lines, offset);
    }
    await this.#takePrints();
  }

  /** Whether the whole content of a compressed file was read. */
  async isWhollyRead(): Promise<boolean> {
    const { path } = this.source;
    if (!isCompressed(path)) return false;
    for await (const _ of readLines(path, { from: this.position.offset })) return false;
    return true;
  }

  state(): FeedState {
    const { path: source, identity } = this.source;
    const path = plainPathOf(source);
    const { session } = identity;
    const { project } = this;
    return { v: 1, path, session, project, parser: this.parser.state(), ...this.position };
  }

  #makeParser(state: unknown): TranscriptParser {
    const { source, content, owners, announces } = this.#options;
    const { createParser, mainFileOf } = source.format;
    return createParser({
      identity: source.identity,
      content,
      owners,
      announces,
      fallbackAt: source.modifiedAt,
      isFree: (id) => !mainFileOf || !existsSync(mainFileOf(join(dirname(source.path), basename(id)))),
      previousAt: (at) => findPrevious(source, at),
      ...(state === undefined ? {} : { state }),
    });
  }

  async #isSameFile(size: number, signal?: AbortSignal): Promise<boolean> {
    const { offset, print, edge, lines, seen } = this.position;
    const isSameStart = size >= offset && readPrint(this.source.path, 0, print.bytes).sha256 === print.sha256;
    if (!isSameStart || (edge !== '' && edge !== this.#readEdge())) return false;
    const hasOnlyNewTime = lines !== '' && seen.startsWith(stampFrom(size, ''));
    if (!hasOnlyNewTime) return true;
    let now = '';
    const read = readLines(this.source.path, { from: 0, to: offset, signal });
    for await (const batch of read) now = printLines(now, batch.lines);
    return signal?.aborted === true || now === lines;
  }

  /** Whether the file has the bytes that were read so far. A compressed file is only compared at its start. */
  async #isSameContent(): Promise<boolean> {
    const { bytes, sha256 } = this.position.print;
    return bytes === 0 || printOf(await readHead(this.source.path, bytes)).sha256 === sha256;
  }

  #readEdge(): string {
    const { offset } = this.position;
    return readPrint(this.source.path, Math.max(0, offset - PRINT_BYTES), offset).sha256;
  }

  async #takePrints(): Promise<void> {
    const { path } = this.source;
    const { offset, print: before } = this.position;
    const bytes = Math.min(PRINT_BYTES, offset);
    if (!isCompressed(path))
      Object.assign(this.position, {
        ...{ print: readPrint(path, 0, bytes), edge: this.#readEdge(), packed: 0 },
      });
    else if (before.bytes < bytes)
      Object.assign(this.position, { print: printOf(await readHead(path, bytes)), edge: '' });
    else this.position.edge = '';
  }
}

export const stampFrom = (size: number, modifiedAt: number | '') => `${size} ${modifiedAt}`;

/** The fingerprint of all lines after some more. How the lines were divided into batches does not change it. */
function printLines(before: string, lines: readonly string[]): string {
  let print = before;
  for (const line of lines) {
    const text = line.trim();
    if (text !== '') print = createHash('sha256').update(print).update(text).digest('hex');
  }
  return print;
}

function readPrint(path: string, from: number, to: number): FeedState['print'] {
  return printOf(from === to ? null : readBytes(path, from, to - from));
}

function printOf(part: Buffer | null): FeedState['print'] {
  if (part === null) return NOTHING_READ.print;
  return { bytes: part.length, sha256: createHash('sha256').update(part).digest('hex') };
}

/**
 * Key of the session that ended with a clear at `at`. The new file does not name that session, so take the neighbour
 * with the latest last line within a day before the clear.
 */
function findPrevious({ path, format }: TranscriptSource, at: number): string | null {
  const folder = dirname(path);
  if (!existsSync(folder)) return null;
  const ended = readdirSync(folder).flatMap((name) => {
    const neighbour = join(folder, name);
    const session = format.acceptsPath(neighbour) ? format.sessionKeyOf(neighbour, null) : null;
    if (session === null || neighbour === path) return [];
    const last = readLastTime({ path: neighbour, format }) ?? 0;
    return last <= at && last >= at - DAY_MS ? [{ session, last }] : [];
  });
  return ended.sort((a, b) => b.last - a.last)[0]?.session ?? null;
}
