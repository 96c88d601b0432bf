import { expect, test } from 'vitest';
import { tokensAt } from '../../../core/accounting/state';
import { DEFAULT_THRESHOLDS } from '../../../core/accounting/thresholds';
import { fc } from '../../../core/testing/property-runs';
import { ContextTracker } from './context-tracker';
import { SharedContextTracker } from './shared-context-tracker';
import { recordEvents, trackerOf, weighed } from './testing/tracker';
import { reaches, UsageSnapshot } from './tracker-options';

test('the defaults are 50, 75, 85 and 90 per cent, and 80 for automatic compression', () => {
  const tracker = trackerOf({ limit: 100, autoCompress: true });
  expect(tracker.thresholds).toEqual(DEFAULT_THRESHOLDS);
  for (const tokens of [30, 20, 29]) tracker.addMessage(weighed('user', tokens));
  expect(tracker.messageCount()).toBe(3);
  expect(tracker.addMessage(weighed('user', 1)).contextTokens).toBe(50);
});

test('uses a given warning line for the state and for the tokens left until that line', () => {
  const tracker = trackerOf({ limit: 1_000, thresholds: { warning: 0.6 } });
  expect(tracker.addMessage(weighed('user', 599))).toMatchObject({
    state: 'elevated',
    tokensUntilWarning: 1,
  });
  expect(tracker.addMessage(weighed('user', 1))).toMatchObject({ state: 'warning', tokensUntilWarning: 0 });
});

test('moves the restart line with restartLine, but not the state redlined', () => {
  const tracker = trackerOf({ limit: 1_000, thresholds: { restartLine: 0.4 } });
  const events = recordEvents(tracker);
  expect(tracker.addMessage(weighed('user', 399)).tokensUntilRestartLine).toBe(1);
  expect(events).toEqual([]);
  expect(tracker.addMessage(weighed('user', 1))).toMatchObject({
    state: 'nominal',
    tokensUntilRestartLine: 0,
  });
  expect(events).toEqual([{ type: 'approaching_redline', pressure: 0.4 }]);
  expect(tracker.isRedlined()).toBe(false);
});

test('refuses bounds that do not ascend to 100', () => {
  for (const thresholds of [
    { warning: 0.5 },
    { warning: 0.85 },
    { critical: 0.75 },
    { critical: 1 },
    { elevated: 0.75 },
    { redlined: 0.85 },
  ]) {
    expect(() => trackerOf({ limit: 100, thresholds })).toThrow(/must ascend/);
  }
});

test('refuses a threshold that is not a number above 0, by name', () => {
  for (const compressLine of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => trackerOf({ limit: 100, thresholds: { compressLine } })).toThrow(
      /"compressLine" must be a share of the limit above 0/,
    );
  }
});

test('refuses an unknown option by name, with the nearest one', () => {
  const options = { limit: 100, autoCompres: true } as { limit: number };
  expect(() => new ContextTracker(options)).toThrow(
    'Unknown setting "autoCompres". Did you mean "autoCompress"?',
  );
  expect(() => new SharedContextTracker(options)).toThrow('Unknown setting "autoCompres"');
});

test('refuses initial messages of a shared tracker, which cannot wait for them', () => {
  const options = { limit: 100, messages: [] } as { limit: number };
  expect(() => new SharedContextTracker(options)).toThrow('Unknown setting "messages"');
});

test('refuses an invalid window, counter, history limit or tool pair rule', () => {
  for (const limit of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, 0.5, 2 ** 53]) {
    expect(() => new ContextTracker({ limit })).toThrow(/"limit" must be a whole number/);
  }
  for (const historyLimit of [-1, 1.5, Number.NaN]) {
    expect(() => new ContextTracker({ limit: 1, historyLimit })).toThrow(/"historyLimit"/);
  }
  const counter = (() => 1) as never;
  expect(() => new ContextTracker({ limit: 1, counter })).toThrow(/createCounter/);
  const toolPairs = 'both' as 'apart';
  expect(() => new ContextTracker({ limit: 1, toolPairs })).toThrow(/"toolPairs" must be together or apart/);
});

const limits = fc.oneof(
  fc.integer({ min: 1, max: 2_000_000 }),
  fc.maxSafeInteger().filter((limit) => limit > 0),
);

test('exactly 50, 75, 85 and 100 per cent of a limit reach their line, and one token less does not', () => {
  for (const percent of [50, 75, 85, 100]) {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Math.floor(Number.MAX_SAFE_INTEGER / 100) }), (hundredth) => {
        expect(reaches(hundredth * percent, hundredth * 100, percent / 100)).toBe(true);
        expect(reaches(hundredth * percent - 1, hundredth * 100, percent / 100)).toBe(false);
      }),
    );
  }
});

test('a limit beyond 10^15 has lines exact to the token', () => {
  const limit = 1e15;
  const share = 0.75;
  expect(tokensAt(share, limit)).toBe(750_000_000_000_000);
  expect(reaches(749_999_999_999_999, limit, share)).toBe(false);
  expect(reaches(750_000_000_000_000, limit, share)).toBe(true);
  expect(tokensAt(0.9, 999_999_999_999_991)).toBe(899_999_999_999_991);
  expect(tokensAt(0.9, Number.MAX_SAFE_INTEGER)).toBe(8_106_479_329_266_891);
});

test('a share is read as the written decimal, not as the nearest binary number', () => {
  expect(tokensAt(0.29, 100)).toBe(29);
  expect(tokensAt(0.575, 1_000)).toBe(575);
  expect(tokensAt(1e-9, 1e15)).toBe(1_000_000);
  expect(tokensAt(1e21, 5)).toBe(5e21);
  expect(tokensAt(0, 5)).toBe(0);
});

test('a line is reached at its rounded tokens if the product is whole, and always one token above', () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 9_999 }), (limit, hundredths) => {
      const share = hundredths / 10_000;
      const at = tokensAt(share, limit);
      fc.pre(at < Number.MAX_SAFE_INTEGER);
      expect(reaches(at + 1, limit, share)).toBe(true);
      expect(reaches(at, limit, share)).toBe((BigInt(limit) * BigInt(hundredths)) % 10_000n === 0n);
    }),
  );
});

test('moves the bounds of the states, including redlined', () => {
  const thresholds = { ...DEFAULT_THRESHOLDS, elevated: 0.1, warning: 0.2, critical: 0.3, redlined: 0.95 };
  const stateAt = (tokens: number) => new UsageSnapshot(tokens, 100, thresholds).state;
  expect([9, 10, 20, 30, 94, 95].map(stateAt)).toEqual([
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
  expect(snapshot).toMatchObject({ state: 'warning', pressure: 0.8, tokensUntilRestartLine: 20 });
  expect(snapshot.timestamp).toBeGreaterThanOrEqual(before);
  for (const window of [0, -1, 1.5, Number.NaN]) {
    expect(() => new UsageSnapshot(1, window)).toThrow('"limit" must be a whole number of tokens from 1');
  }
  expect(() => new UsageSnapshot(-1, 200)).toThrow('"contextTokens" must be a whole number of tokens from 0');
});
