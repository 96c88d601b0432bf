import { expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { ContextPressureError, ContextUsage, readUsage, UsageProcessor } from './index';

const count = fc.integer({ min: -10_000, max: 10_000_000 });
const turn = fc.record({ inputTokens: count, outputTokens: count, cacheReadTokens: count });
type Turn = { inputTokens: number; outputTokens: number; cacheReadTokens: number };
const turns = fc.array(turn, { maxLength: 40 });
const limit = fc.integer({ min: 1, max: 2_000_000 });

function after(list: readonly Turn[]): ContextUsage {
  const usage = new ContextUsage();
  for (const each of list) usage.addTurn(each);
  return usage;
}
const sumsOf = (usage: ContextUsage) => [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens];
const positive = (n: number) => (n > 0 ? n : 0);

test('sums the deltas that are not negative, in any order', () => {
  const shuffled = turns.chain((list) =>
    fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
  );
  fc.assert(
    fc.property(shuffled, ([list, other]) => {
      const expected = (['inputTokens', 'outputTokens', 'cacheReadTokens'] as const).map((name) =>
        list.reduce((sum, each) => sum + positive(each[name]), 0),
      );
      expect(sumsOf(after(list))).toEqual(expected);
      expect(sumsOf(after(other))).toEqual(expected);
    }),
  );
});

test('pressure is input and output over the limit, and never falls within a context', () => {
  fc.assert(
    fc.property(turns, limit, (list, window) => {
      let before = 0;
      const usage = new ContextUsage();
      for (const each of list) {
        usage.addTurn(each);
        const pressure = usage.pressure(window);
        expect(pressure).toBe((usage.inputTokens + usage.outputTokens) / window);
        expect(pressure).toBeGreaterThanOrEqual(before);
        before = pressure;
      }
    }),
  );
});

test('cache reads never change the pressure or raise an error', () => {
  fc.assert(
    fc.property(turns, fc.array(count, { minLength: 40, maxLength: 40 }), limit, (list, reads, window) => {
      const other = list.map((each, index) => ({ ...each, cacheReadTokens: reads[index] ?? 0 }));
      expect(after(other).pressure(window)).toBe(after(list).pressure(window));
      expect(raisedAt(other, window)).toBe(raisedAt(list, window));
    }),
  );
});

test('a reset makes the next context equal to a new one', () => {
  fc.assert(
    fc.property(turns, turns, limit, (old, fresh, window) => {
      const usage = after(old);
      usage.reset({ continuation: 1 });
      for (const each of fresh) usage.addTurn(each);
      expect(sumsOf(usage)).toEqual(sumsOf(after(fresh)));
      expect(usage.pressure(window)).toBe(after(fresh).pressure(window));
    }),
  );
});

test('raises at the first turn that reaches the restart line, and never before', () => {
  const restartLine = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(turns, limit, restartLine, (list, window, share) => {
      let used = 0;
      const expected = list.findIndex((each) => {
        used += positive(each.inputTokens) + positive(each.outputTokens);
        return used / window >= share;
      });
      expect(raisedAt(list, window, share)).toBe(expected);
    }),
  );
});

test('a usage has the same counts as an object, as a Map and with getters', () => {
  fc.assert(
    fc.property(count, count, count, (input, output, cacheRead) => {
      const plain = { input_tokens: input, output_tokens: output, cache_read_input_tokens: cacheRead };
      const getters = new (class {
        get input_tokens() {
          return input;
        }
        get output_tokens() {
          return output;
        }
        get cache_read_input_tokens() {
          return cacheRead;
        }
      })();
      const expected = readUsage({ usage: plain });
      expect(expected).toMatchObject({
        inputTokens: input,
        outputTokens: output,
        cacheReadTokens: cacheRead,
      });
      expect(readUsage({ usage: new Map(Object.entries(plain)) })).toEqual(expected);
      expect(readUsage({ usage: getters })).toEqual(expected);
    }),
  );
});

/** Index of the turn at which a processor throws, or −1. */
function raisedAt(list: readonly Turn[], window: number, restartLine = 0.9): number {
  const processor = new UsageProcessor({ limit: window, restartLine });
  return list.findIndex((each) => {
    try {
      processor.process({ usage: each });
      return false;
    } catch (error) {
      if (error instanceof ContextPressureError) return true;
      throw error;
    }
  });
}
