/**
 * Measures a file for its upload: length, lines, the hash of the whole and of each chunk. The digest can be taken at
 * any byte, so one pass over a transcript serves all its compactions.
 */
import { createHash } from 'node:crypto';
import { CHUNK_BYTES } from '../../../core/transcript/limits';
import { NotAFileError, openTranscript } from '../archive/copy-transcript';
import { changed, UploadFailure } from './archive-server';
import { readParts } from './read-parts';

export interface Digest {
  bytes: number;
  /** Includes a last line without a line feed. */
  lines: number;
  /** 64 hexadecimal digits, of the whole. */
  sha256: string;
  /** Hashes in order; all chunks but the last have `CHUNK_BYTES`. Empty for an empty file. */
  chunks: string[];
}

const LINE_FEED = 0x0a;

export class FileDigest {
  #bytes = 0;
  #lineFeeds = 0;
  #last = LINE_FEED;
  readonly #whole = createHash('sha256');
  #chunk = createHash('sha256');
  readonly #chunks: string[] = [];

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.#whole.update(part);
    for (let from = 0; from < part.length; ) {
      const room = CHUNK_BYTES - (this.#bytes % CHUNK_BYTES);
      const piece = part.subarray(from, from + room);
      this.#chunk.update(piece);
      this.#bytes += piece.length;
      from += piece.length;
      if (this.#bytes % CHUNK_BYTES !== 0) continue;
      this.#chunks.push(this.#chunk.digest('hex'));
      this.#chunk = createHash('sha256');
    }
    for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) {
      this.#lineFeeds += 1;
    }
    this.#last = part.at(-1) ?? this.#last;
  }

  /** The digest of the bytes so far; more may be added afterwards. */
  digest(): Digest {
    const isChunkOpen = this.#bytes % CHUNK_BYTES !== 0;
    return {
      bytes: this.#bytes,
      lines: this.#last === LINE_FEED ? this.#lineFeeds : this.#lineFeeds + 1,
      sha256: this.#whole.copy().digest('hex'),
      chunks: isChunkOpen ? [...this.#chunks, this.#chunk.copy().digest('hex')] : [...this.#chunks],
    };
  }
}

/**
 * Measure the first `bytes` bytes of a file.
 * @throws UploadFailure `final` if the file is missing or not a file; what the file system throws.
 */
export async function digestFile(path: string, bytes: number, signal?: AbortSignal): Promise<Digest> {
  try {
    const file = await openTranscript(path);
    try {
      const digest = new FileDigest();
      for await (const part of readParts(file, bytes, signal)) digest.add(part);
      return digest.digest();
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isGone = code === 'ENOENT' || code === 'ENOTDIR';
    if (isGone) throw new UploadFailure('final', 'the file was deleted before it was uploaded');
    if (error instanceof NotAFileError) throw changed();
    throw error;
  }
}
