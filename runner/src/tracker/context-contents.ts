import { describeMessage, type MessageTraits } from './read-message';

/** One message in the context. */
export interface ContextEntry<M extends object = object> {
  readonly message: M;
  readonly tokens: number;
  /** The count is an estimate. */
  readonly estimated: boolean;
  /** When it was added, milliseconds since the epoch. */
  readonly addedAt: number;
  readonly traits: MessageTraits;
}

/** Traits are read once, so later changes of the message do not affect the tracker. */
export function makeEntry<M extends object>(
  message: M,
  tokens: number,
  estimated: boolean,
  addedAt: number,
): ContextEntry<M> {
  return { message, tokens, estimated, addedAt, traits: describeMessage(message) };
}

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

  /** Number of messages with estimated tokens. */
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
