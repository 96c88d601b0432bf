import { eachWord, MAX_WORD, wordAt } from './words';

/** Ranges [from, to) of a phrase in the text, at most `max`. Linear time (Knuth-Morris-Pratt). */
export function findPhrase(
  text: string,
  phrase: readonly string[],
  max = Number.POSITIVE_INFINITY,
): [number, number][] {
  const found: [number, number][] = [];
  if (phrase.length === 0) return found;
  const shorter = failureTable(phrase);
  /** Start offsets of the most recent words, one for each word of the phrase. */
  const starts: number[] = new Array<number>(phrase.length).fill(0);
  let words = 0;
  let matched = 0;
  eachWord(text, (from, to) => {
    starts[words % phrase.length] = from;
    words += 1;
    while (matched > 0 && !isWord(text, from, to, phrase[matched])) matched = shorter[matched - 1] ?? 0;
    if (isWord(text, from, to, phrase[matched])) matched += 1;
    if (matched < phrase.length) return true;
    found.push([starts[words % phrase.length] ?? from, to]);
    matched = shorter[matched - 1] ?? 0;
    return found.length < max;
  });
  return found;
}

function isWord(text: string, from: number, to: number, word: string | undefined): boolean {
  return (
    word !== undefined && word.length === Math.min(to - from, MAX_WORD) && wordAt(text, from, to) === word
  );
}

/** The Knuth-Morris-Pratt failure table: per prefix, the length of its longest proper prefix that is also a suffix. */
function failureTable(phrase: readonly string[]): number[] {
  const lengths = [0];
  for (let i = 1, length = 0; i < phrase.length; i += 1) {
    while (length > 0 && phrase[i] !== phrase[length]) length = lengths[length - 1] ?? 0;
    if (phrase[i] === phrase[length]) length += 1;
    lengths.push(length);
  }
  return lengths;
}

const BEFORE = 60;
const LENGTH = 160;

/** About 160 characters around the first match on one line, with the ranges of matches. */
export function excerptOf(
  text: string,
  places: readonly (readonly [number, number])[],
): { excerpt: string; marks: [number, number][] } {
  const [first] = places;
  if (first === undefined)
    return {
      excerpt: text.slice(0, wholeCharacter(text, Math.min(text.length, LENGTH))).replace(/\s/g, ' '),
      marks: [],
    };
  const from = wholeCharacter(text, Math.max(0, first[0] - BEFORE));
  const to = wholeCharacter(text, Math.min(text.length, Math.max(first[1], from + LENGTH)));
  // Each character is replaced by one character, so that the marks stay valid.
  const excerpt = text.slice(from, to).replace(/[\s\p{Cc}]/gu, ' ');
  const marks = places
    .filter(([start, end]) => start >= from && end <= to)
    .map(([start, end]): [number, number] => [start - from, end - from]);
  return { excerpt, marks };
}

/** Moves an offset inside a surrogate pair to the start of the pair. */
function wholeCharacter(text: string, at: number): number {
  return at > 0 && text.charCodeAt(at) >> 10 === 0x37 ? at - 1 : at;
}
