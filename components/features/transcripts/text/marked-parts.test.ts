import { describe, expect, it } from 'vitest';
import { markedParts } from './marked-parts';

describe('a text with marks', () => {
  it('is cut where they begin and end', () => {
    expect(markedParts('one two three', [[4, 7]])).toEqual([
      { text: 'one ', from: 0, isMarked: false },
      { text: 'two', from: 4, isMarked: true },
      { text: ' three', from: 7, isMarked: false },
    ]);
    expect(markedParts('one', [])).toEqual([{ text: 'one', from: 0, isMarked: false }]);
  });

  it('loses nothing and doubles nothing, whatever the marks are', () => {
    const marks: [number, number][] = [
      [8, 99],
      [-3, 2],
      [1, 4],
      [5, 5],
      [40, 50],
    ];
    const parts = markedParts('one two three', marks);
    expect(parts.map(({ text }) => text).join('')).toBe('one two three');
    expect(parts.filter(({ isMarked }) => isMarked).map(({ text }) => text)).toEqual(['on', 'e ', 'three']);
  });
});
