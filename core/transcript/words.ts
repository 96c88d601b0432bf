/**
 * Words of texts and queries: sequences of letters and digits, in lower case. `server/ingest.ts` is three words. In
 * scripts without spaces each character is a word.
 */

/** Maximum length. Longer words, such as hashes and encoded data, are cut. */
export const MAX_WORD = 64;
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]/u;
const ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const Kind = { none: 0, part: 1, alone: 2 } as const;
/** Kind of each code unit, filled on demand. 255: not computed yet. */
const kinds = new Uint8Array(65_536).fill(255);

function kindOf(code: number): number {
  const known = kinds[code] ?? 0;
  if (known !== 255) return known;
  const character = String.fromCharCode(code);
  // Rare scripts and emoji, which need surrogates, are not indexed.
  const isHalf = code >= 0xd800 && code <= 0xdfff;
  const kind = isHalf || !WORD.test(character) ? Kind.none : ALONE.test(character) ? Kind.alone : Kind.part;
  kinds[code] = kind;
  return kind;
}

/** Call `take` for each word in order until it returns false. */
export function eachWord(text: string, take: (from: number, to: number) => boolean | undefined): void {
  let start = -1;
  for (let i = 0; i <= text.length; i += 1) {
    const kind = i === text.length ? Kind.none : kindOf(text.charCodeAt(i));
    if (kind === Kind.part) {
      if (start === -1) start = i;
      continue;
    }
    if (start !== -1 && take(start, i) === false) return;
    start = -1;
    if (kind === Kind.alone && take(i, i + 1) === false) return;
  }
}

export function wordAt(text: string, from: number, to: number): string {
  return text.slice(from, Math.min(to, from + MAX_WORD)).toLowerCase();
}

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (from, to) => {
    words.push(wordAt(text, from, to));
    return true;
  });
  return words;
}

export function addWords(text: string, words: Set<string>): void {
  // Lower-casing the whole text is faster, but differs for a final sigma and for letters that become longer.
  const lower = text.toLowerCase();
  const isSame = lower.length === text.length && !text.includes('Σ');
  const source = isSame ? lower : text;
  eachWord(source, (from, to) => {
    words.add(isSame ? source.slice(from, Math.min(to, from + MAX_WORD)) : wordAt(source, from, to));
    return true;
  });
}
