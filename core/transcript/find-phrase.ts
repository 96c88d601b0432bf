import { eachWord, MAX_WORD, wordAt, wordsOf } from './words';

/** Where the words of a phrase stand one after the other, whatever lies between them: [from, to), at most `max`. */
export function findPhrase(
  text: string,
  phrase: readonly string[],
  max = Number.POSITIVE_INFINITY,
): [number, number][] {
  const [head] = phrase;
  const found: [number, number][] = [];
  if (head === undefined) return found;
  // Beginnings that so many words have followed: a phrase may begin within itself.
  let open: { from: number; matched: number }[] = [];
  const isWord = (from: number, to: number, word: string | undefined): boolean =>
    // Nearly every word is told apart by its length, without being taken out of the text.
    word !== undefined && word.length === Math.min(to - from, MAX_WORD) && wordAt(text, from, to) === word;
  eachWord(text, (from, to) => {
    if (open.length === 0 && !isWord(from, to, head)) return true;
    const candidates = open;
    open = [];
    for (const { from: start, matched } of [...candidates, { from, matched: 0 }]) {
      if (!isWord(from, to, phrase[matched])) continue;
      if (matched + 1 === phrase.length) found.push([start, to]);
      else open.push({ from: start, matched: matched + 1 });
    }
    return found.length < max;
  });
  return found;
}

export const wordsOfPhrase = (phrase: string): string[] => wordsOf(phrase).map(({ word }) => word);

const BEFORE = 60;
const LENGTH = 160;

/** About 160 characters around a place, on one line, and where in them the phrase stands. */
export function excerptOf(
  text: string,
  places: readonly (readonly [number, number])[],
): { excerpt: string; marks: [number, number][] } {
  const [first] = places;
  if (first === undefined) return { excerpt: text.slice(0, LENGTH).replace(/\s/g, ' '), marks: [] };
  const from = wholeCharacter(text, Math.max(0, first[0] - BEFORE));
  const to = wholeCharacter(text, Math.min(text.length, Math.max(first[1], from + LENGTH)));
  // One character for one, so that the marks hold.
  const excerpt = text.slice(from, to).replace(/[\s\p{Cc}]/gu, ' ');
  const marks = places
    .filter(([start, end]) => start >= from && end <= to)
    .map(([start, end]): [number, number] => [start - from, end - from]);
  return { excerpt, marks };
}

/** Not between the halves of a pair. */
function wholeCharacter(text: string, at: number): number {
  return at > 0 && text.charCodeAt(at) >> 10 === 0x37 ? at - 1 : at;
}
