/**
 * Follows one transcript file: reads added lines and parses them into items.
 *
 * Owns the byte offset and the parser. Both are plain JSON after each batch, so a killed process continues after the
 * last batch it saved; the server recognises repeated items by their call and boundary ids. A file that became
 * shorter, or begins with other bytes, is another file under the same name and read from its start.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CallOwners, TranscriptItem, TranscriptParser } from '../../../core/agents/agent-format';
import { readLastTime, type TranscriptSource } from './collect-sources';
import { readLines } from './read-lines';

export interface FeedState {
  v: 1;
  path: string;
  session: string;
  project: string;
  offset: number;
  /** Fingerprint of the file's first bytes: whether it still is the file that was read. */
  print: { bytes: number; sha256: string };
  parser: unknown;
  /** Byte from which it was followed: lines before it were never sent. */
  joinedAt: number;
}

export interface FeedOptions {
  source: TranscriptSource;
  project: string;
  announces: boolean;
  content: boolean;
  owners: CallOwners;
  saved?: FeedState;
}

/** Items of one batch of lines. */
export interface FeedBatch {
  items: TranscriptItem[];
  lines: number;
  bytes: number;
}

const PRINT_BYTES = 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

export class TranscriptFeed {
  readonly source: TranscriptSource;
  readonly project: string;
  #options: FeedOptions;
  #parser: TranscriptParser;
  #offset: number;
  #print: FeedState['print'];
  #joinedAt: number;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.source = options.source;
    this.project = options.project;
    this.#parser = this.#makeParser(options.saved?.parser);
    this.#offset = options.saved?.offset ?? 0;
    this.#print = options.saved?.print ?? { bytes: 0, sha256: '' };
    this.#joinedAt = options.saved?.joinedAt ?? 0;
  }

  get offset(): number {
    return this.#offset;
  }
  get joinedAt(): number {
    return this.#joinedAt;
  }
  get parser(): TranscriptParser {
    return this.#parser;
  }

  /** Read the lines added since, up to the current end of the file; a missing file has none. */
  async *pull(signal?: AbortSignal): AsyncGenerator<FeedBatch> {
    const info = await stat(this.source.path).catch(() => null);
    if (info === null) return;
    if (!(await this.#isSameFile(info.size))) this.#startOver();
    if (info.size === this.#offset) return;
    for await (const batch of readLines(this.source.path, {
      from: this.#offset,
      ...(signal ? { signal } : {}),
    })) {
      const items = batch.lines.flatMap((line) => this.#parser.line(line));
      const bytes = batch.offset - this.#offset;
      this.#offset = batch.offset;
      yield { items, lines: batch.lines.length, bytes };
    }
    if (this.#print.bytes < PRINT_BYTES)
      this.#print = await this.#takePrint(Math.min(PRINT_BYTES, this.#offset));
  }

  /**
   * Skip to `offset`: the lines before it are read for the facts of the session, and their calls are left out.
   */
  async joinAt(offset: number): Promise<void> {
    for await (const { lines, offset: end } of readLines(this.source.path, { from: 0, to: offset })) {
      for (const line of lines) this.#parser.line(line);
      this.#offset = end;
    }
    this.#parser.settle();
    this.#parser.forgetAnnouncement();
    this.#joinedAt = this.#offset;
    this.#print = await this.#takePrint(Math.min(PRINT_BYTES, this.#offset));
  }

  /** The file ends here for now. */
  settle(): TranscriptItem[] {
    return this.#parser.settle();
  }

  state(): FeedState {
    return {
      v: 1,
      path: this.source.path,
      session: this.source.identity.session,
      project: this.project,
      offset: this.#offset,
      print: this.#print,
      parser: this.#parser.state(),
      joinedAt: this.#joinedAt,
    };
  }

  #makeParser(state: unknown): TranscriptParser {
    const { source, content, owners, announces } = this.#options;
    return source.format.createParser({
      identity: source.identity,
      content,
      owners,
      announces,
      fallbackAt: source.modifiedAt,
      isFree: (id) => !existsSync(join(dirname(source.path), `${basename(id)}.jsonl`)),
      previousAt: (at) => findPrevious(source, at),
      ...(state === undefined ? {} : { state }),
    });
  }

  #startOver(): void {
    this.#parser = this.#makeParser(undefined);
    this.#offset = 0;
    this.#joinedAt = 0;
    this.#print = { bytes: 0, sha256: '' };
  }

  async #isSameFile(size: number): Promise<boolean> {
    if (size < this.#offset) return false;
    if (this.#print.bytes === 0) return true;
    return (await this.#takePrint(this.#print.bytes)).sha256 === this.#print.sha256;
  }

  async #takePrint(bytes: number): Promise<FeedState['print']> {
    const file = await open(this.source.path, 'r').catch(() => null);
    if (file === null) return { bytes: 0, sha256: '' };
    try {
      const buffer = Buffer.alloc(bytes);
      const { bytesRead } = await file.read(buffer, 0, bytes, 0);
      const sha256 = createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex');
      return { bytes: bytesRead, sha256 };
    } finally {
      await file.close();
    }
  }
}

/**
 * Key of the session that a clear at `at` left behind. The new file does not name it, so it is inferred: of the files
 * beside it, the one with its last line nearest before the clear, at most a day. Reads the end of each neighbour, once
 * per clear.
 */
function findPrevious({ path, format }: TranscriptSource, at: number): string | null {
  let names: string[];
  try {
    names = readdirSync(dirname(path));
  } catch {
    return null;
  }
  let found: { session: string; at: number } | null = null;
  for (const name of names) {
    const neighbour = join(dirname(path), name);
    const session = format.acceptsPath(neighbour) ? format.sessionKeyOf(neighbour) : null;
    if (session === null || neighbour === path) continue;
    const last = readLastTime(neighbour);
    if (last === null || last > at || last < at - DAY_MS) continue;
    if (found === null || last > found.at) found = { session, at: last };
  }
  return found?.session ?? null;
}

/** Whether the item is a completed compaction. */
export function isCompaction(item: TranscriptItem): boolean {
  return item.type === 'compaction' && item.state === 'confirmed';
}
