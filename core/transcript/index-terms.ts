import { COMMON_WORDS } from './common-words';
import { eachWord, wordAt, wordsOf } from './words';

/** A pair of common words as one term; no word holds a space. */
const pairOf = (before: string, word: string): string | null =>
  COMMON_WORDS.has(before) && COMMON_WORDS.has(word) ? `${before} ${word}` : null;

/** Adds what a text is found by: its words, and pairs of common ones. */
export function addTerms(text: string, terms: Set<string>): void {
  let before = '';
  eachWord(text, (from, to) => {
    const word = wordAt(text, from, to);
    terms.add(word);
    const pair = pairOf(before, word);
    if (pair !== null) terms.add(pair);
    before = word;
    return true;
  });
}

/** Terms that every text with the phrase has; empty: the phrase has no words. */
export function termsOfPhrase(phrase: string): string[] {
  const words = wordsOf(phrase).map(({ word }) => word);
  const pairs = words.flatMap((word, i) => pairOf(words[i - 1] ?? '', word) ?? []);
  return [...new Set([...words, ...pairs])];
}
