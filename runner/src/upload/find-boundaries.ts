/**
 * Finds the compactions of a transcript, each with what is to be said of the file up to and with its line. The file is
 * read once, however many there are.
 */
import type { BoundarySign } from '../../../core/agents/agent-format';
import { marksOf, readSigns } from '../../../core/agents/registry';
import { openTranscript } from '../archive/copy-transcript';
import { type Digest, FileDigest } from './file-digest';
import { readParts } from './read-parts';

const BOUNDARY_MARKS = marksOf('boundary').map((mark) => Buffer.from(mark));

export interface Boundary extends BoundarySign {
  /** Of the file up to and with the line, its line feed included. */
  digest: Digest;
}

export interface BoundarySearch {
  /** Compactions whose line ends at or before this byte are left out. Default 0. */
  after?: number;
  /** The file is not written any more: a last line without line feed counts. Default false. */
  isEnded?: boolean;
  signal?: AbortSignal;
}

/** No client writes its compaction's line that long; one that is longer is passed over, and not held. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** In the order of the file. @throws what the file system throws, and the signal's reason. */
export async function findBoundaries(path: string, search: BoundarySearch = {}): Promise<Boundary[]> {
  const { after = 0, isEnded = false, signal } = search;
  const file = await openTranscript(path);
  try {
    const digest = new FileDigest();
    const found: Boundary[] = [];
    const line = new OpenLine();
    let at = 0;
    const end = () => {
      const boundary = line.close();
      if (boundary === null || at <= after) return;
      if (boundary.id !== null && found.some(({ id }) => id === boundary.id)) return;
      found.push({ ...boundary, digest: digest.digest() });
    };
    for await (const part of readParts(file, (await file.stat()).size, signal)) {
      let from = 0;
      for (let feed = part.indexOf(LINE_FEED); feed !== -1; feed = part.indexOf(LINE_FEED, from)) {
        const piece = part.subarray(from, feed + 1);
        line.add(piece);
        digest.add(piece);
        at += piece.length;
        from = feed + 1;
        end();
      }
      const rest = part.subarray(from);
      line.add(rest);
      digest.add(rest);
      at += rest.length;
    }
    if (isEnded) end();
    return found;
  } finally {
    await file.close();
  }
}

/** The line that is being read: its bytes, unless they are too many. */
class OpenLine {
  #pieces: Buffer[] = [];
  #bytes = 0;

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > MAX_LINE_BYTES) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  /** The line is whole. @returns the compaction it records, if any. */
  close(): BoundarySign | null {
    const [only] = this.#pieces;
    const bytes = this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    if (!BOUNDARY_MARKS.some((mark) => bytes.includes(mark))) return null;
    return readSigns('boundary', bytes.toString('utf8'))[0] ?? null;
  }
}
