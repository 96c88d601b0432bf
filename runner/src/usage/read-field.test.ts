import { expect, test } from 'vitest';
import { isEmptyRecord, readField, readPath, readText } from './read-field';

class WithGetter {
  get tokens() {
    return 7;
  }
}

test('a field is read from an object, a Map or a getter, and from nothing else', () => {
  expect([readField({ a: 1 }, 'a'), readField(new Map([['a', 2]]), 'a')]).toEqual([1, 2]);
  expect(readField(new WithGetter(), 'tokens')).toBe(7);
  for (const none of [null, undefined, 'text', 5, {}, new Map()]) {
    expect(readField(none, 'length')).toBeUndefined();
  }
});

test('a field of a field is read through anything that has fields', () => {
  expect(readPath({ part: new Map([['tokens', { total: 3 }]]) }, 'part.tokens.total')).toBe(3);
  expect(readPath({ part: null }, 'part.tokens')).toBeUndefined();
});

test('a text is one with something in it', () => {
  expect(readText({ name: 'x' }, 'name')).toBe('x');
  for (const name of ['', 5, null, undefined, {}]) expect(readText({ name }, 'name')).toBeUndefined();
});

test('an empty record is a plain object or a Map with nothing in it', () => {
  for (const empty of [{}, Object.create(null), new Map()]) expect(isEmptyRecord(empty)).toBe(true);
  for (const other of [{ a: 1 }, new Map([['a', 1]]), new WithGetter(), [], null, undefined, 'x', 0]) {
    expect(isEmptyRecord(other)).toBe(false);
  }
});
