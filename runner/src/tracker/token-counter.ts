import { countCharacters } from './read-message';

/** Counts the tokens of one message. A tokenizer of the model's own fits in here. */
export interface TokenCounter<M extends object = object> {
  /** @returns a whole number of tokens from 0; what a message costs beside its text (its role) belongs to it. */
  countMessage(message: M): number;
  /** True: these are the vendor's own counts. Else they are estimates, and are reported as such. */
  readonly isExact?: boolean;
}

/** A counter that may take its time, as one that asks the vendor: for `SharedContextTracker`. */
export interface AsyncTokenCounter<M extends object = object> {
  /** As `TokenCounter.countMessage`, or a promise of it. */
  countMessage(message: M): number | Promise<number>;
  readonly isExact?: boolean;
}

/** ceil(characters / 4) over the text of a message of any vendor's shape: an estimate. */
export const estimatingCounter: TokenCounter = {
  countMessage: (message) => Math.ceil(countCharacters(message) / 4),
  isExact: false,
};

/** @throws RangeError unless it is a whole number of tokens from 0 to 2^53−1. */
export function checkTokens(tokens: unknown): number {
  if (Number.isSafeInteger(tokens) && Number(tokens) >= 0) return Number(tokens);
  const what =
    tokens instanceof Promise ? 'a promise (SharedContextTracker takes such counters)' : String(tokens);
  throw new RangeError(`a message counts a whole number of tokens from 0, but the counter returned ${what}`);
}
