import { expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { ContextTracker } from './context-tracker';
import { SharedContextTracker } from './shared-context-tracker';
import { recordEvents, trackerOf, weighed } from './testing/tracker';
import {
  DEFAULT_TRACKER_CONFIG,
  reaches,
  stateOfPercent,
  tokensAtPercent,
  UsageSnapshot,
} from './tracker-options';

test('the defaults are 50, 75, 85 and 90 per cent, and 80 for automatic compression', () => {
  expect(Object.values(DEFAULT_TRACKER_CONFIG)).toEqual([50, 75, 85, 90, 80]);
  const tracker = trackerOf({ maxTokens: 100, autoCompress: true });
  for (const tokens of [30, 20, 29]) tracker.addMessage(weighed('user', tokens));
  expect(tracker.messageCount()).toBe(3);
  expect(tracker.addMessage(weighed('user', 1)).tokensUsed).toBe(50);
});

test('uses a given warning line for the state and for the tokens left until that line', () => {
  const tracker = trackerOf({ maxTokens: 1_000, config: { warningPercent: 60 } });
  expect(tracker.addMessage(weighed('user', 599))).toMatchObject({
    state: 'elevated',
    tokensUntilWarning: 1,
  });
  expect(tracker.addMessage(weighed('user', 1))).toMatchObject({ state: 'warning', tokensUntilWarning: 0 });
});

test('moves the restart line with redlinePercent, but not the state redlined', () => {
  const tracker = trackerOf({ maxTokens: 1_000, config: { redlinePercent: 40 } });
  const events = recordEvents(tracker);
  expect(tracker.addMessage(weighed('user', 399)).tokensUntilRedline).toBe(1);
  expect(events).toEqual([]);
  expect(tracker.addMessage(weighed('user', 1))).toMatchObject({ state: 'nominal', tokensUntilRedline: 0 });
  expect(events).toEqual([{ type: 'approaching_redline', usagePercent: 40 }]);
  expect(tracker.isRedlined()).toBe(false);
});

test('refuses bounds that do not ascend to 100', () => {
  for (const config of [
    { warningPercent: 50 },
    { warningPercent: 85 },
    { criticalPercent: 75 },
    { criticalPercent: 100 },
    { elevatedPercent: 75 },
  ]) {
    expect(() => trackerOf({ maxTokens: 100, config })).toThrow(/must ascend/);
  }
});

test('refuses a percentage that is not a number above 0, by name', () => {
  for (const percent of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => trackerOf({ maxTokens: 100, config: { autoCompressPercent: percent } })).toThrow(
      /"autoCompressPercent" must be a percentage above 0/,
    );
  }
});

test('refuses an unknown option by name, with the nearest one', () => {
  const options = { maxTokens: 100, autoCompres: true } as { maxTokens: number };
  expect(() => new ContextTracker(options)).toThrow(
    'Unknown setting "autoCompres". Did you mean "autoCompress"?',
  );
  expect(() => new SharedContextTracker(options)).toThrow('Unknown setting "autoCompres"');
});

test('refuses initial messages of a shared tracker, which cannot wait for them', () => {
  const options = { maxTokens: 100, messages: [] } as { maxTokens: number };
  expect(() => new SharedContextTracker(options)).toThrow('Unknown setting "messages"');
});

test('refuses an invalid window, counter, history limit or tool pair rule', () => {
  for (const maxTokens of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 53]) {
    expect(() => new ContextTracker({ maxTokens })).toThrow(/"maxTokens" must be a whole number/);
  }
  for (const historyLimit of [-1, 1.5, Number.NaN]) {
    expect(() => new ContextTracker({ maxTokens: 1, historyLimit })).toThrow(/"historyLimit"/);
  }
  const counter = (() => 1) as never;
  expect(() => new ContextTracker({ maxTokens: 1, counter })).toThrow(/createCounter/);
  const toolPairs = 'both' as 'apart';
  expect(() => new ContextTracker({ maxTokens: 1, toolPairs })).toThrow(
    /"toolPairs" must be together or apart/,
  );
});

const limits = fc.oneof(
  fc.integer({ min: 1, max: 2_000_000 }),
  fc.maxSafeInteger().filter((limit) => limit > 0),
);

test('exactly 50, 75, 85 and 100 per cent of a limit reach their line, and one token less does not', () => {
  for (const percent of [50, 75, 85, 100]) {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Math.floor(Number.MAX_SAFE_INTEGER / 100) }), (hundredth) => {
        expect(reaches(hundredth * percent, hundredth * 100, percent)).toBe(true);
        expect(reaches(hundredth * percent - 1, hundredth * 100, percent)).toBe(false);
      }),
    );
  }
});

test('a limit beyond 10^15 has lines exact to the token', () => {
  const limit = 1e15;
  const percent = 75;
  expect(tokensAtPercent(percent, limit)).toBe(750_000_000_000_000);
  expect(reaches(749_999_999_999_999, limit, percent)).toBe(false);
  expect(reaches(750_000_000_000_000, limit, percent)).toBe(true);
  expect(tokensAtPercent(90, 999_999_999_999_991)).toBe(899_999_999_999_991);
  expect(tokensAtPercent(90, Number.MAX_SAFE_INTEGER)).toBe(8_106_479_329_266_891);
});

test('a percentage is read as the written decimal, not as the nearest binary number', () => {
  expect(tokensAtPercent(29, 100)).toBe(29);
  expect(tokensAtPercent(57.5, 1_000)).toBe(575);
  expect(tokensAtPercent(1e-7, 1e15)).toBe(1_000_000);
  expect(tokensAtPercent(1e21, 5)).toBe(5e19);
  expect(tokensAtPercent(0, 5)).toBe(0);
});

test('a line is reached at its rounded tokens if the product is whole, and always one token above', () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 9_999 }), (limit, hundredths) => {
      const percent = hundredths / 100;
      const at = tokensAtPercent(percent, limit);
      fc.pre(at < Number.MAX_SAFE_INTEGER);
      expect(reaches(at + 1, limit, percent)).toBe(true);
      expect(reaches(at, limit, percent)).toBe((BigInt(limit) * BigInt(hundredths)) % 10_000n === 0n);
    }),
  );
});

test('given bounds move every state except redlined', () => {
  const lines = { elevatedPercent: 10, warningPercent: 20, criticalPercent: 30 };
  expect([9, 10, 20, 30, 99, 100].map((percent) => stateOfPercent(percent, lines))).toEqual([
    'nominal',
    'elevated',
    'warning',
    'critical',
    'critical',
    'redlined',
  ]);
});

test('a snapshot needs only tokens and window, and refuses a window of 0', () => {
  const before = Date.now();
  const snapshot = new UsageSnapshot(160, 200);
  expect(snapshot).toMatchObject({ state: 'warning', usagePercent: 80, tokensUntilRedline: 20 });
  expect(snapshot.timestamp).toBeGreaterThanOrEqual(before);
  for (const window of [0, -1, 1.5, Number.NaN]) {
    expect(() => new UsageSnapshot(1, window)).toThrow('"maxTokens" must be a whole number of tokens from 1');
  }
  expect(() => new UsageSnapshot(-1, 200)).toThrow('"tokensUsed" must be a whole number of tokens from 0');
});
