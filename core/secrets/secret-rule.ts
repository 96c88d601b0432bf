import type { Grams } from './grams';

/** A place that looks like a secret: [from, to) of the searched text. */
export interface FoundSecret {
  from: number;
  to: number;
  /** Its kind, such as "GitHub token". */
  rule: string;
}

/** Finds secrets in a text, in linear time; `grams` lets it skip texts that cannot match. */
export type SecretRule = (
  text: string,
  report: (found: FoundSecret) => void,
  grams: Grams,
) => Promise<void> | void;
