/**
 * Words of search: runs of letters and digits in lower case, in texts and queries. `server/ingest.ts` is three words and
 * `session_id` two, so that separators do not matter. In scripts without spaces each character is a word.
 */
export interface Word {
  word: string;
  from: number;
  to: number;
}

/** Longer runs, such as hashes and encoded data, are cut. */
export const MAX_WORD = 64;
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]/u;
const ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const Kind = { none: 0, part: 1, alone: 2 } as const;
/** Kind per code unit, filled on demand. 255: unknown yet. */
const kinds = new Uint8Array(65_536).fill(255);

function kindOf(code: number): number {
  const known = kinds[code] ?? 0;
  if (known !== 255) return known;
  const character = String.fromCharCode(code);
  // Surrogates: rare scripts and emoji are not indexed.
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

export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  eachWord(text, (from, to) => {
    words.push({ word: wordAt(text, from, to), from, to });
    return true;
  });
  return words;
}
