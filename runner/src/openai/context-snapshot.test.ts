import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { ContextSnapshot, GPT_4O_CONTEXT_MAX_TOKENS } from './context-snapshot';

const real = (tokens: number) => ({ tokens, basis: 'total' as const });
const estimate = (tokens: number) => ({ tokens, basis: 'estimate' as const });

test('keeps the last real reading', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1 }), (sizes) => {
      const snapshot = new ContextSnapshot({ limit: 1_000 });
      for (const size of sizes) snapshot.record(real(size));
      expect(snapshot.contextTokens).toBe(sizes.at(-1));
      expect(snapshot.pressure).toBe((sizes.at(-1) ?? 0) / 1_000);
    }),
  );
});

test('has a size but no pressure without a window', () => {
  const snapshot = new ContextSnapshot();
  snapshot.record({ ...real(50_000), model: 'some-model' });
  expect(snapshot).toMatchObject({
    contextTokens: 50_000,
    limit: null,
    pressure: null,
    state: 'unknown',
    tokensRemaining: null,
  });
  expect(snapshot.tokensUntil(0.9)).toBeNull();
  expect(snapshot.hasRoomFor(1)).toBeNull();
});

test('exports the 128 000 token window of GPT-4o', () => {
  const snapshot = new ContextSnapshot({ limit: GPT_4O_CONTEXT_MAX_TOKENS });
  snapshot.record(real(64_000));
  expect(snapshot).toMatchObject({ limit: 128_000, pressure: 0.5, state: 'elevated' });
});

test('takes the window by model, else from the table of models', () => {
  const windows = new Map([['gpt-4o', 128_000]]);
  const snapshot = new ContextSnapshot({ limit: (model) => windows.get(model) });
  expect(snapshot.limit).toBeNull();
  snapshot.record({ ...real(1), model: 'gpt-4o' });
  expect(snapshot.limit).toBe(128_000);
  snapshot.record({ ...real(1), model: 'anthropic/claude-haiku-4-5' });
  expect(snapshot.limit).toBe(200_000);
  expect(snapshot.statedLimit('anthropic/claude-haiku-4-5')).toBeNull();
});

test('has an unknown size, not 0, before the first call and after a boundary', () => {
  const snapshot = new ContextSnapshot({ limit: 1_000 });
  expect(snapshot).toMatchObject({
    contextTokens: null,
    pressure: null,
    state: 'unknown',
    lastKnownTokens: null,
  });
  snapshot.record(real(900));
  snapshot.startContext();
  expect(snapshot).toMatchObject({
    contextTokens: null,
    basis: null,
    state: 'unknown',
    lastKnownTokens: 900,
  });
});

test('uses an estimate only if the context has no real reading', () => {
  const snapshot = new ContextSnapshot();
  expect(snapshot.record(estimate(100))).toBe(true);
  expect(snapshot.isEstimate).toBe(true);
  expect(snapshot.record(real(137))).toBe(true);
  expect(snapshot.record(estimate(140))).toBe(false);
  expect(snapshot).toMatchObject({ contextTokens: 137, isEstimate: false });
  snapshot.startContext();
  expect(snapshot.record(estimate(20))).toBe(true);
});

test('ignores a reading without the output after a reading with the output', () => {
  const snapshot = new ContextSnapshot();
  expect(snapshot.record({ tokens: 90, basis: 'input' })).toBe(true);
  expect(snapshot.record(real(110))).toBe(true);
  expect(snapshot.record({ tokens: 100, basis: 'input' })).toBe(false);
  snapshot.startContext();
  expect(snapshot.record({ tokens: 10, basis: 'input' })).toBe(false);
});

test('ignores a reading above the window only in the first call after a compaction', () => {
  const snapshot = new ContextSnapshot({ limit: 1_000 });
  snapshot.startContext('restart');
  expect(snapshot.record(real(1_200))).toBe(true);
  snapshot.startContext('compaction');
  expect(snapshot.record(real(1_200))).toBe(false);
  expect(snapshot.contextTokens).toBeNull();
  expect(snapshot.record(real(1_200))).toBe(true);
});

test('can be written as JSON', () => {
  const snapshot = new ContextSnapshot({ limit: 1_000 });
  snapshot.record(real(500));
  const fields = {
    contextTokens: 500,
    basis: 'total',
    limit: 1_000,
    pressure: 0.5,
    state: 'elevated',
  };
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(fields);
  expect(inspect(snapshot)).toContain('contextTokens: ');
});

test('keeps the last size after a call without a size', () => {
  const snapshot = new ContextSnapshot();
  snapshot.record(real(500));
  expect(snapshot.record({ tokens: null, basis: 'total', model: 'gpt-4o' })).toBe(false);
  expect(snapshot.contextTokens).toBe(500);
});

test('uses the first reading after a compaction if it is at most the window', () => {
  for (const tokens of [600, 1_000]) {
    const snapshot = new ContextSnapshot({ limit: 1_000 });
    snapshot.startContext('compaction');
    expect(snapshot.record(real(tokens))).toBe(true);
  }
  const unknown = new ContextSnapshot();
  unknown.startContext('compaction');
  expect(unknown.record(real(5))).toBe(true);
});

test.each([0, -1, 1.5, Number.NaN, '128000' as never])('refuses a window of %s tokens', (limit) => {
  expect(() => new ContextSnapshot({ limit })).toThrow(RangeError);
});

test('has no pressure if a function gives a window of 0 tokens', () => {
  const snapshot = new ContextSnapshot({ limit: () => 0 });
  snapshot.record({ ...real(1_200), model: 'unknown-model' });
  expect(snapshot).toMatchObject({ pressure: null, state: 'unknown' });
});
