/**
 * The lines that are appended to a file since it had a size, each once. It owns an open line and the place up to which it
 * has read, so that a look costs what is new and no more, however long the file is.
 */
import type { FileHandle } from 'node:fs/promises';
import { openTranscript } from '../archive/copy-transcript';

const READ_BYTES = 1024 * 1024;
/** Longest line of a compaction, bytes; longer lines are skipped and not buffered. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

export class TranscriptTail {
  readonly #path: string;
  #offset: number;
  #isAtLineStart = false;
  #pieces: Buffer[] = [];
  #heldBytes = 0;

  /** @param after size of the file; where a line is open there, it counts from its beginning. */
  constructor(path: string, after: number) {
    this.#path = path;
    this.#offset = after;
  }

  /** Bytes read so far, of all there are. */
  get offset(): number {
    return this.#offset;
  }

  /** Whole lines that are new, without their line feeds; null: the file was removed or truncated. */
  async look(): Promise<Buffer[] | null> {
    const file = await openTranscript(this.#path).catch(() => null);
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      if (size < this.#offset) return null;
      if (!this.#isAtLineStart) {
        this.#offset = await findLineStart(file, this.#offset);
        this.#isAtLineStart = true;
      }
      const lines: Buffer[] = [];
      while (this.#offset < size) {
        const wanted = Math.min(READ_BYTES, size - this.#offset);
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, this.#offset);
        if (bytesRead === 0) break;
        this.#offset += bytesRead;
        this.#split(buffer.subarray(0, bytesRead), lines);
      }
      return lines;
    } finally {
      await file.close();
    }
  }

  #split(part: Buffer, lines: Buffer[]): void {
    let from = 0;
    for (let feed = part.indexOf(LINE_FEED); feed !== -1; feed = part.indexOf(LINE_FEED, from)) {
      this.#hold(part.subarray(from, feed));
      if (this.#heldBytes <= MAX_LINE_BYTES) lines.push(Buffer.concat(this.#pieces));
      this.#pieces = [];
      this.#heldBytes = 0;
      from = feed + 1;
    }
    this.#hold(part.subarray(from));
  }

  #hold(piece: Buffer): void {
    this.#heldBytes += piece.length;
    if (this.#heldBytes > MAX_LINE_BYTES) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }
}

/** Where the line begins that is open at a place. */
async function findLineStart(file: FileHandle, place: number): Promise<number> {
  for (let end = place; end > 0 && place - end < MAX_LINE_BYTES; ) {
    const from = Math.max(0, end - READ_BYTES);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(end - from), 0, end - from, from);
    const feed = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
    if (feed !== -1) return from + feed + 1;
    if (from === 0) return 0;
    end = from;
  }
  return place;
}
