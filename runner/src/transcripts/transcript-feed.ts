/**
 * Follows one transcript file: reads what was added, parses it, hands the items over.
 *
 * It owns the byte offset and the parser. Both are plain JSON after each batch, so a process that is
 * killed goes on behind the last batch it saved; what it had handed over after that is handed over
 * again, which the server recognises by each call's id and each boundary's. A file that became shorter,
 * or begins with other bytes, is another file under the same name: it is read from its start.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CallOwners, TranscriptItem, TranscriptParser } from '../adapters/format';
import type { TranscriptSource } from './collect-sources';
import { findPrevious } from './find-previous';
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
  /** Byte from which it was followed, where lines before that were never sent. */
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

/** Items of one batch of lines, and what to remember once they are handed over. */
export interface FeedBatch {
  items: TranscriptItem[];
  lines: number;
  bytes: number;
}

const PRINT_BYTES = 1024;

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

  /** Reads what was added since. Ends at the end of the file as it is then; a missing file gives nothing. */
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
   * Goes to `offset` without handing anything over: the lines before it are read for what they say about
   * the session, and their calls are left out.
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
      previousAt: (at) => sessionBeside(source, at),
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

function sessionBeside(source: TranscriptSource, at: number): string | null {
  const path = findPrevious(source.path, at);
  if (path === null) return null;
  const { session } = source.identity;
  return `${session.slice(0, session.lastIndexOf('/') + 1)}${basename(path, '.jsonl')}`;
}

/** Whether the item says that a compaction is over. */
export function isCompaction(item: TranscriptItem): boolean {
  return item.type === 'compaction' && item.state === 'confirmed';
}
