/** A place that looks like a secret: [from, to) of the searched text. */
export interface FoundSecret {
  from: number;
  to: number;
  rule: string;
}

export interface NumberedSecret extends FoundSecret {
  secret: number;
}

export type SecretRule = (
  text: string,
  report: (found: FoundSecret) => void,
  grams: Grams,
) => Promise<void> | void;

/**
 * A filter over the trigrams of a text, ignoring case. Most rules need words that most texts do not contain, and a
 * lookup costs a thousandth of a search. The filter has false positives, but no false negatives.
 */
export interface Grams {
  /** False: the text does not contain `part`, ignoring case. Parts of fewer than three characters always pass. */
  mayHold(part: string): boolean;
}

/** Seven bits per character, in lower case. Other characters collide with ASCII. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 0x41 && code <= 0x5a ? code + 0x20 : code,
);
const SEVEN_BITS = 0x7f;
const PLACES = 1 << 21;

export function gramsOf(text: string): Grams {
  const held = new Uint8Array(PLACES / 8);
  let run = 0;
  for (let i = 0; i < text.length; i += 1) {
    run = ((run << 7) | (FOLDED[text.charCodeAt(i) & SEVEN_BITS] ?? 0)) & (PLACES - 1);
    // The first two trigrams are incomplete, which only adds false positives.
    held[run >> 3] = (held[run >> 3] ?? 0) | (1 << (run & 7));
  }
  return {
    mayHold(part) {
      let wanted = 0;
      for (let i = 0; i < part.length; i += 1) {
        wanted = ((wanted << 7) | (FOLDED[part.charCodeAt(i) & SEVEN_BITS] ?? 0)) & (PLACES - 1);
        if (i >= 2 && ((held[wanted >> 3] ?? 0) & (1 << (wanted & 7))) === 0) return false;
      }
      return true;
    },
  };
}
