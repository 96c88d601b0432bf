import { expect, it } from 'vitest';
import { getOwn, setOwn } from './empty-fold';

it('a record answers for its own keys alone, whatever they are called', () => {
  const record: Record<string, number> = {};
  expect(getOwn(record, 'constructor')).toBeUndefined();
  expect(getOwn(record, '__proto__')).toBeUndefined();
  setOwn(record, 'constructor', 1);
  setOwn(record, '__proto__', 2);
  expect([getOwn(record, 'constructor'), getOwn(record, '__proto__')]).toEqual([1, 2]);
  expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
  expect(JSON.stringify(record)).toBe('{"constructor":1,"__proto__":2}');
});

it('a key that objects know can be set again and taken away', () => {
  const record: Record<string, number> = {};
  setOwn(record, '__proto__', 1);
  setOwn(record, '__proto__', 2);
  expect(getOwn(record, '__proto__')).toBe(2);
  Reflect.set(record, '__proto__', 3, record);
  expect(getOwn(record, '__proto__')).toBe(3);
  Reflect.deleteProperty(record, '__proto__');
  expect(getOwn(record, '__proto__')).toBeUndefined();
});
