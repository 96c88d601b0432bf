/**
 * Lines of a growing file, by byte offset. A line counts once its line feed is written. Bytes after the last
 * line feed stay unread, unless they are complete JSON (a writer that leaves out the final line feed).
 */
import { open } from 'node:fs/promises';
import { splitValues } from '../../../core/agents/lines';

export interface ReadOptions {
  /** Byte to begin at: the start of a line. */
  from: number;
  /** Byte to end before; default: the end of the file when it is reached. */
  to?: number;
  signal?: AbortSignal | undefined;
}

export interface LineBatch {
  lines: string[];
  /** Byte after the last of them: where reading goes on. */
  offset: number;
}

/** Longer lines are skipped: a line must fit into one string. */
const MAX_LINE_BYTES = 128 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 0x0a;

/** Yields the complete lines in batches of about one chunk. Invalid UTF-8 becomes U+FFFD. */
export async function* readLines(path: string, options: ReadOptions): AsyncGenerator<LineBatch> {
  const { from, to = Number.POSITIVE_INFINITY, signal } = options;
  const file = await open(path, 'r');
  try {
    const splitter = new LineSplitter(MAX_LINE_BYTES);
    let position = from;
    while (signal?.aborted !== true && position < to) {
      const wanted = Math.min(CHUNK_BYTES, to - position);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const lines = splitter.add(buffer.subarray(0, bytesRead)).map((line) => line.toString('utf8'));
      if (lines.length > 0) yield { lines, offset: position - splitter.openBytes };
    }
    const tail = splitter.open.toString('utf8');
    if (isWholeJson(tail)) yield { lines: [tail], offset: position };
  } finally {
    await file.close();
  }
}

/** A partial line is never complete JSON: every value is an object, which only its last brace closes. */
function isWholeJson(tail: string): boolean {
  const { values, undecodable } = splitValues(tail);
  const isRecord = (value: unknown) => typeof value === 'object' && value !== null;
  return values.length > 0 && !undecodable && values.every(isRecord);
}

/** Splits the bytes of a file into lines as they arrive. Lines longer than `maxBytes` are skipped and not held. */
class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #openBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get openBytes(): number {
    return this.#openBytes;
  }

  /** The line without a line feed yet; empty if it is too long. */
  get open(): Buffer {
    const [only] = this.#pieces;
    return this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces);
  }

  /** @returns the lines that the bytes complete, without their line feeds. */
  add(bytes: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let from = 0;
    for (let feed = bytes.indexOf(LINE_FEED); feed !== -1; feed = bytes.indexOf(LINE_FEED, from)) {
      this.#hold(bytes.subarray(from, feed));
      if (this.#openBytes <= this.#maxBytes) lines.push(this.open);
      this.#pieces = [];
      this.#openBytes = 0;
      from = feed + 1;
    }
    this.#hold(bytes.subarray(from));
    return lines;
  }

  #hold(piece: Buffer): void {
    this.#openBytes += piece.length;
    if (this.#openBytes > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }
}
