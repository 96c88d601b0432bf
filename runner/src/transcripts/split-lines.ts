const LINE_FEED = 0x0a;

/** Splits the bytes of a file into lines as they arrive. Lines longer than `maxBytes` are skipped and not held. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #openBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes since the last line feed. */
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
