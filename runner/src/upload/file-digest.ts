/**
 * What is said of a file before it is handed over: its length, its lines, the hash of the whole and of each chunk.
 * It owns two running hashes and can be asked at any byte, so that one reading of a file serves each of its versions.
 */
import { createHash } from 'node:crypto';
import { CHUNK_BYTES } from '../../../core/transcript/chunk-bytes';

export interface Digest {
  bytes: number;
  /** A last line without line feed counts. */
  lines: number;
  /** 64 hexadecimal digits, of the whole. */
  sha256: string;
  /** In order; each `CHUNK_BYTES` long but the last. Of an empty file none. */
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

  /** Of what was added so far; more may be added afterwards. */
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
