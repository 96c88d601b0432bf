/** Owns the messages of a context and the sum of their tokens; the two change together or not at all. */
import { type ContextEntry, makeEntry } from './context-entry';

export class ContextContents<M extends object> {
  #entries: ContextEntry<M>[] = [];
  #tokens = 0;
  #estimated = 0;

  get entries(): readonly ContextEntry<M>[] {
    return this.#entries;
  }

  /** Tokens of all messages. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Messages whose tokens are an estimate. */
  get estimated(): number {
    return this.#estimated;
  }

  /** @throws RangeError when the sum would pass 2^53−1; nothing is added then. */
  add(message: M, tokens: number, estimated: boolean, addedAt: number): void {
    if (!Number.isSafeInteger(this.#tokens + tokens)) {
      throw new RangeError('the sum of the context would pass 2^53−1 tokens');
    }
    this.#entries.push(makeEntry(message, tokens, estimated, addedAt));
    this.#tokens += tokens;
    if (estimated) this.#estimated += 1;
  }

  /** @param positions of the messages to remove. */
  remove(positions: ReadonlySet<number>): void {
    for (const position of positions) {
      const entry = this.#entries[position];
      if (entry === undefined) continue;
      this.#tokens -= entry.tokens;
      if (entry.estimated) this.#estimated -= 1;
    }
    this.#entries = this.#entries.filter((_, position) => !positions.has(position));
  }

  clear(): void {
    this.#entries = [];
    this.#tokens = 0;
    this.#estimated = 0;
  }
}
