import { COMMON_WORDS } from './common-words';
import { eachWord, MAX_WORD, wordAt, wordsOf } from './words';

/** A pair of common words as one term; no word holds a space. */
const pairOf = (before: string, word: string): string | null =>
  COMMON_WORDS.has(before) && COMMON_WORDS.has(word) ? `${before} ${word}` : null;

/** Of each common word the pairs that it begins, by the word after it: made once, and not for each place. */
const PAIRS = new Map(
  [...COMMON_WORDS].map((word) => [
    word,
    new Map([...COMMON_WORDS].map((next) => [next, `${word} ${next}`])),
  ]),
);

/** Adds what a text is found by: its words, and pairs of common ones. */
export function addTerms(text: string, terms: Set<string>): void {
  // All of it at once, where that is the same as word by word: a few letters grow, and a sigma looks at what follows.
  const lower = text.toLowerCase();
  const isSame = lower.length === text.length && !text.includes('Σ');
  const source = isSame ? lower : text;
  let before: ReadonlyMap<string, string> | undefined;
  eachWord(source, (from, to) => {
    const word = isSame ? source.slice(from, Math.min(to, from + MAX_WORD)) : wordAt(source, from, to);
    terms.add(word);
    const pair = before?.get(word);
    if (pair !== undefined) terms.add(pair);
    before = PAIRS.get(word);
    return true;
  });
}

/** Terms that every text with the phrase has; empty: the phrase has no words. */
export function termsOfPhrase(phrase: string): string[] {
  const words = wordsOf(phrase).map(({ word }) => word);
  const pairs = words.flatMap((word, i) => pairOf(words[i - 1] ?? '', word) ?? []);
  return [...new Set([...words, ...pairs])];
}
