import { eachWord, MAX_WORD, wordAt, wordsOf } from './words';

/**
 * Words in nearly every part of a transcript. Adjacent pairs of them are indexed too, so that phrases of common words
 * need not scan everything.
 */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    'a about add all also an and any are as at be but by can code const could do does don else error export fail false ' +
    'file files find first for from function get has have here how i id if import in is it its just let ll line make me ' +
    'more my name need new no not now null of ok on one only or out output path read return run s see set should so ' +
    'some string t test tests than that the their them then there these they this to true type undefined up update us ' +
    'use user using value ve was we were what when which will with would you your 0 1 2 3'
  ).split(' '),
);

/** A pair of common words as one term; words have no spaces. */
const pairOf = (before: string, word: string): string | null =>
  COMMON_WORDS.has(before) && COMMON_WORDS.has(word) ? `${before} ${word}` : null;

/** All pair terms by first and second word, made once. */
const PAIRS = new Map(
  [...COMMON_WORDS].map((word) => [
    word,
    new Map([...COMMON_WORDS].map((next) => [next, `${word} ${next}`])),
  ]),
);

/** Add the index terms of a text: its words and pairs of common words. */
export function addTerms(text: string, terms: Set<string>): void {
  // Lower-case the whole text unless that differs from single words: a few letters grow, and a final sigma differs.
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

/** Terms of every text with the phrase; empty: it has no words. */
export function termsOfPhrase(phrase: string): string[] {
  const words = wordsOf(phrase).map(({ word }) => word);
  const pairs = words.flatMap((word, i) => pairOf(words[i - 1] ?? '', word) ?? []);
  return [...new Set([...words, ...pairs])];
}
