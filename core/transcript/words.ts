/**
 * Words, as search sees them: runs of letters and digits in lower case, in a text and in what is asked for alike.
 * `server/ingest.ts` is three words and `session_id` two, so that a phrase is found whatever joins its words. Scripts
 * without spaces give a word a character.
 */
export interface Word {
  word: string;
  from: number;
  to: number;
}

/** Longer runs are cut: hashes and encoded data, which nobody asks for by their end. */
export const MAX_WORD = 64;
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]/u;
const ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const Kind = { none: 0, part: 1, alone: 2 } as const;
/** What each code unit is; filled as they come by. 255: not looked at yet. */
const kinds = new Uint8Array(65_536).fill(255);

function kindOf(code: number): number {
  const known = kinds[code] ?? 0;
  if (known !== 255) return known;
  const character = String.fromCharCode(code);
  // Halves of a pair: letters of rare scripts, and pictographs, which are words of nobody.
  const isHalf = code >= 0xd800 && code <= 0xdfff;
  const kind = isHalf || !WORD.test(character) ? Kind.none : ALONE.test(character) ? Kind.alone : Kind.part;
  kinds[code] = kind;
  return kind;
}

/** Calls `take` for each word in order; it ends when `take` says false. */
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
