import { describe, expect, it } from 'vitest';
import { packRows, unpackRows } from './pack-rows';

const throughJson = (rows: readonly object[]) => JSON.parse(JSON.stringify(rows));

describe('packRows', () => {
  it.each<[string, object[]]>([
    ['no row', []],
    ['one row', [{ a: 1, b: { c: null, d: [1, 2] }, e: {} }]],
    [
      'rows that differ in a value',
      [
        { a: 1, b: { c: 'x' } },
        { a: 2, b: { c: 'x' } },
      ],
    ],
    ['an object that one row has not', [{ a: null }, { a: { b: 1 } }]],
    ['fields that one row has not', [{ a: 1, b: 2 }, { a: 1 }, { a: 3, b: undefined }]],
    [
      'fields in another order',
      [
        { a: 1, b: 2 },
        { b: 1, a: 2 },
      ],
    ],
    [
      'lists, truth and times',
      [
        { a: [], b: true, at: new Date(5) },
        { a: [{}], b: true, at: new Date(5) },
      ],
    ],
    [
      'what all agree on',
      [
        { a: null, b: 0, c: '', d: [{ e: 1 }] },
        { a: null, b: 0, c: '', d: [{ e: 1 }] },
      ],
    ],
    [
      'names that objects have by themselves',
      [
        { constructor: 1, toString: 2 },
        { constructor: 1, toString: 3 },
      ],
    ],
  ])('gives back %s as JSON would', (_what, rows) => {
    expect(unpackRows(packRows(rows))).toEqual(throughJson(rows));
  });

  it('says names once, and so what all rows hold', () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({ session: 'one and the same', sums: { n } }));
    const text = packRows(rows);
    expect(text.match(/one and the same/g)).toHaveLength(1);
    expect(text.match(/sums/g)).toHaveLength(1);
    expect(text.length).toBeLessThan(JSON.stringify(rows).length / 5);
  });
});
