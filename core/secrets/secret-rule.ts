import type { Grams } from './grams';

/** A place that looks like a secret: [from, to) of the text it was looked for in. */
export interface FoundSecret {
  from: number;
  to: number;
  /** For people: "GitHub token". */
  rule: string;
}

/** Looks for secrets in a text, of which it is told what it may hold. Its time grows with the text's length and no faster. */
export type SecretRule = (
  text: string,
  report: (found: FoundSecret) => void,
  grams: Grams,
) => Promise<void> | void;
