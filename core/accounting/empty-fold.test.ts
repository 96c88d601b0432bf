import { expect, it } from 'vitest';
import { gapForRefusedTurn } from './apply-session';
import { getOwn, isAtLeast, setOwn } from './empty-fold';

it('getOwn and setOwn treat __proto__ and constructor like any other key', () => {
  const record: Record<string, number> = {};
  expect(getOwn(record, 'constructor')).toBeUndefined();
  expect(getOwn(record, '__proto__')).toBeUndefined();
  setOwn(record, 'constructor', 1);
  setOwn(record, '__proto__', 2);
  expect([getOwn(record, 'constructor'), getOwn(record, '__proto__')]).toEqual([1, 2]);
  expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
  expect(JSON.stringify(record)).toBe('{"constructor":1,"__proto__":2}');
});

it('a key such as __proto__ can be overwritten and deleted', () => {
  const record: Record<string, number> = {};
  setOwn(record, '__proto__', 1);
  setOwn(record, '__proto__', 2);
  expect(getOwn(record, '__proto__')).toBe(2);
  Reflect.set(record, '__proto__', 3, record);
  expect(getOwn(record, '__proto__')).toBe(3);
  Reflect.deleteProperty(record, '__proto__');
  expect(getOwn(record, '__proto__')).toBeUndefined();
});

it('transcript outranks SDK, SDK outranks hook, hook outranks OTLP', () => {
  const order = ['transcript', 'sdk', 'hook', 'otlp'] as const;
  const table = order.map((source) => order.map((other) => isAtLeast(source, other)));
  expect(table).toEqual([
    [true, true, true, true],
    [false, true, true, true],
    [false, false, true, true],
    [false, false, false, true],
  ]);
});

it('replaces a refused turn by a gap of one turn on its chain', () => {
  const refused = { seq: 7, session: 's', at: 5 };
  const gap = { type: 'gap', ...refused, from: 7, to: 7, count: 1, reason: 'refused: sum_overflow' };
  expect(gapForRefusedTurn(refused, 'sum_overflow')).toStrictEqual(gap);
  expect(gapForRefusedTurn({ ...refused, chain: 'agent-1' }, 'sum_overflow')).toStrictEqual({
    ...gap,
    chain: 'agent-1',
  });
});
