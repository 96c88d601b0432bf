import { describe, expect, it } from 'vitest';
import { fc } from '../testing/property-runs';
import { excerptOf, findPhrase } from './find-phrase';
import { addWords, wordsOf } from './words';

const find = (text: string, phrase: string) =>
  findPhrase(text, wordsOf(phrase)).map(([from, to]) => text.slice(from, to));

describe('A phrase', () => {
  it.each([
    ['the quick_brown fox', 'Quick brown', ['quick_brown']],
    ['a a b', 'a b', ['a b']],
    ['ab ab ab', 'ab ab', ['ab ab', 'ab ab']],
    ['server/ingest.ts', 'ingest.ts', ['ingest.ts']],
    ['quick fox', 'quick brown', []],
    ['ÄRGER über Maße', 'ärger ÜBER', ['ÄRGER über']],
    ['港の記録を読む', '記録', ['記録']],
    ['anything', '!?', []],
  ])('is found in "%s": "%s"', (text, phrase, expected) => {
    expect(find(text, phrase)).toEqual(expected);
  });

  it('is found in every text that contains it, and the index lists each such text', () => {
    const word = fc.constantFrom('the', 'file', 'error', 'tide', 'harbour', 'a', 'x1');
    fc.assert(
      fc.property(
        fc.array(word),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(word),
        (before, phrase, after) => {
          const text = [...before, ...phrase, ...after].join(' - ');
          expect(find(text, phrase.join(' ')).length).toBeGreaterThan(0);
          const words = new Set<string>();
          addWords(text, words);
          expect(wordsOf(phrase.join(' ')).filter((term) => !words.has(term))).toEqual([]);
        },
      ),
    );
  });

  it('returns an excerpt with valid marks', () => {
    const text = `${'before '.repeat(40)}the\ntide ${'after '.repeat(40)}`;
    const { excerpt, marks } = excerptOf(text, findPhrase(text, ['the', 'tide']));
    expect(excerpt.length).toBeLessThanOrEqual(161);
    expect(marks.map(([from, to]) => excerpt.slice(from, to))).toEqual(['the tide']);
  });
});
