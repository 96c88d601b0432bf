/** A place that looks like a secret: [from, to) of the text it was looked for in. */
export interface FoundSecret {
  from: number;
  to: number;
  /** For people: "GitHub token". */
  rule: string;
}

/** Looks for secrets in a text. Its time grows with the text's length and no faster. */
export type SecretRule = (text: string, report: (found: FoundSecret) => void) => Promise<void> | void;
