import { expect, test } from 'vitest';
import { fieldsOf, isAbsent, listOf, textOf } from './read-value';

test('what is no object has no fields', () => {
  expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
  for (const value of [null, undefined, 5, 'text', true]) expect(fieldsOf(value)).toBeNull();
});

test('what is no list has no elements', () => {
  expect(listOf([1, 2])).toEqual([1, 2]);
  for (const value of [null, undefined, 'text', { length: 1 }]) expect(listOf(value)).toEqual([]);
});

test('an empty text says as little as none', () => {
  expect(textOf('a')).toBe('a');
  for (const value of ['', null, undefined, 5, ['a'], {}]) expect(textOf(value)).toBeNull();
});

test('null and undefined are absent, and nothing else is', () => {
  expect([null, undefined, 0, '', false].map(isAbsent)).toEqual([true, true, false, false, false]);
});
