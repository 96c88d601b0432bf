import { describe, expect, it } from 'vitest';
import type { Item } from '../../core/protocol/items';
import { fc } from '../../core/testing/property-runs';
import { itemsOf } from '../ingest/arbitrary-items.fixture';
import { callKey, callOfKey, hashItem } from './hash-item';

const turn: Item = {
  type: 'turn',
  seq: 1,
  session: 's',
  at: 1,
  call: 'c',
  chain: 'a',
  model: 'm',
  usage: { input: 1, output: 2 },
  contextTokens: 9,
};

describe('the hash of an item', () => {
  it('does not depend on the item’s seq, the order of its fields, or absent fields', () => {
    fc.assert(
      fc.property(itemsOf(['s'], 8), (items) => {
        for (const item of items) {
          const turned = Object.fromEntries(Object.entries({ ...item, seq: 999 }).reverse()) as Item;
          expect(hashItem(turned)).toBe(hashItem(item));
        }
      }),
    );
  });

  it.each<[string, Partial<Extract<Item, { type: 'turn' }>>]>([
    ['session', { session: 't' }],
    ['time', { at: 2 }],
    ['call', { call: 'd' }],
    ['chain', { chain: 'b' }],
    ['scope', { scope: 'side' }],
    ['model', { model: 'n' }],
    ['limit', { limit: 5 }],
    ['input', { usage: { input: 3, output: 2 } }],
    ['an absent count', { usage: { input: 1, output: 2, cacheRead: 0 } }],
    ['usage', { usage: null }],
    ['reading', { contextTokens: 8 }],
    ['basis', { basis: 'estimate' }],
    ['inheritance', { inherited: true }],
  ])('distinguishes another %s', (_field, change) => {
    expect(hashItem({ ...turn, ...change } as Item)).not.toBe(hashItem(turn));
  });

  it('distinguishes adjacent names with the same characters', () => {
    const one: Item = { type: 'turn', seq: 1, session: 'ab', at: 1, chain: 'c' };
    const two: Item = { type: 'turn', seq: 1, session: 'a', at: 1, chain: 'bc' };
    expect(hashItem(one)).not.toBe(hashItem(two));
  });
});

describe('call keys', () => {
  it('are equal for the same call id in any stream, and depend on stream and seq without a call id', () => {
    expect(callKey('c', 'turn', 'one', 1)).toBe(callKey('c', 'turn', 'two', 2));
    expect(callKey(undefined, 'turn', 'one', 1)).not.toBe(callKey(undefined, 'turn', 'one', 2));
    expect(callKey(undefined, 'turn', 'one', 1)).not.toBe(callKey('one:1', 'turn', 'one', 1));
  });

  it('of a reading and its turn differ in the lowest bit and give the same call', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (call) => {
        const ofTurn = callKey(call, 'turn', 's', 1);
        const ofReading = callKey(call, 'reading', 's', 1);
        expect(ofReading).not.toBe(ofTurn);
        expect(callOfKey(ofReading)).toBe(ofTurn);
        expect(callOfKey(ofTurn)).toBe(ofTurn);
        expect(BigInt(ofReading)).toBeLessThan(2n ** 63n);
      }),
    );
  });
});
