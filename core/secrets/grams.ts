/**
 * Which runs of three characters a text holds, in any case: most rules ask for letters that most texts lack, and a
 * look here costs a thousandth of a search. It may say yes where the answer is no, and never the other way round.
 */
export interface Grams {
  /** False: the text does not hold `part`, in whatever case. A part of less than three characters is always possible. */
  mayHold(part: string): boolean;
}

/** Seven bits a character; letters without their case. What is not ASCII shares places with what is. */
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
    // The first two are of fewer characters: a place too many, which does no harm.
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
