import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ContextTracker } from './context-tracker';
import { recordEvents, recordingLogger, trackerOf, weighed } from './testing/tracker';
import type { TokenCounter } from './tracker-options';

describe('counting', () => {
  test('returns the messages unchanged, oldest first, in a new list', () => {
    const tracker = trackerOf({ limit: 1_000 });
    const [first, second] = [weighed('user', 1), weighed('assistant', 2)];
    tracker.addMessage(first);
    tracker.addMessage(second);
    const messages = tracker.messages();
    expect(messages[0]).toBe(first);
    expect(messages[1]).toBe(second);
    messages.pop();
    expect(tracker.messageCount()).toBe(2);
  });

  test('uses tokens that the caller gives, without calling the counter', () => {
    const counter: TokenCounter = { countMessage: () => expect.fail('asked') };
    const tracker = new ContextTracker({ limit: 1_000, counter });
    expect(tracker.addMessage({ role: 'user' }, { tokens: 7 }).contextTokens).toBe(7);
    expect(tracker.addMessage({ role: 'user' }, { tokens: 0 }).contextTokens).toBe(7);
  });

  test('refuses a count that is not a whole number from 0, and adds nothing', () => {
    for (const tokens of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      const tracker = trackerOf({ limit: 100 });
      const events = recordEvents(tracker);
      expect(() => tracker.addMessage(weighed('user', tokens))).toThrow(RangeError);
      expect(() => tracker.addMessage(weighed('user', 1), { tokens })).toThrow(RangeError);
      expect([tracker.messageCount(), tracker.currentUsage().contextTokens]).toEqual([0, 0]);
      expect([...events, ...tracker.history()]).toEqual([]);
    }
  });

  test('refuses a counter that returns a promise, and names the class that awaits it', () => {
    const counter = { countMessage: () => Promise.resolve(3) } as unknown as TokenCounter;
    const tracker = new ContextTracker({ limit: 100, counter });
    expect(() => tracker.addMessage({ role: 'user' })).toThrow(/SharedContextTracker/);
    expect(tracker.messageCount()).toBe(0);
  });

  test('refuses a sum above 2^53−1, and adds nothing', () => {
    const tracker = trackerOf({ limit: 100 });
    tracker.addMessage(weighed('user', Number.MAX_SAFE_INTEGER));
    expect(() => tracker.addMessage(weighed('user', 1))).toThrow(/2\^53−1/);
    expect(tracker.messageCount()).toBe(1);
    expect(tracker.currentUsage().contextTokens).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('usage', () => {
  test('has tokens, window, state, percentage, remaining tokens and time', () => {
    const tracker = trackerOf({ limit: 200_000, now: () => 1_700_000_000_000 });
    tracker.addMessage(weighed('user', 120_000));
    expect({ ...tracker.currentUsage() }).toEqual({
      contextTokens: 120_000,
      limit: 200_000,
      state: 'elevated',
      pressure: 0.6,
      tokensRemaining: 80_000,
      tokensUntilWarning: 30_000,
      tokensUntilRestartLine: 60_000,
      timestamp: 1_700_000_000_000,
    });
  });

  test('can be copied and written as JSON', () => {
    const tracker = trackerOf({ limit: 100, now: () => 5 });
    const usage = tracker.addMessage(weighed('user', 50));
    expect(JSON.parse(JSON.stringify(usage))).toEqual({ ...usage });
    expect(JSON.parse(JSON.stringify(tracker))).toEqual({ ...usage });
    expect(inspect(tracker)).toContain('pressure: ');
    expect(structuredClone(usage)).toEqual({ ...usage });
  });
});

describe('history', () => {
  test('has one snapshot per added message, across clears and compressions', () => {
    let clock = 0;
    const tracker = trackerOf({ limit: 100, now: () => clock });
    for (const tokens of [30, 30, 30]) {
      clock += 1;
      tracker.addMessage(weighed('user', tokens));
    }
    tracker.compressTo(0.5);
    tracker.clear();
    tracker.addMessage(weighed('user', 5));
    const snapshots = tracker
      .history()
      .map(({ contextTokens, timestamp }) => `${contextTokens} at ${timestamp}`);
    expect(snapshots).toEqual(['30 at 1', '60 at 2', '90 at 3', '5 at 3']);
  });

  test('keeps the newest thousand snapshots by default', () => {
    const tracker = trackerOf({ limit: 10_000 });
    for (let count = 0; count < 1_003; count += 1) tracker.addMessage(weighed('user', 1));
    expect(tracker.history()).toHaveLength(1_000);
    expect([tracker.history()[0]?.contextTokens, tracker.history().at(-1)?.contextTokens]).toEqual([
      4, 1_003,
    ]);
  });
});

describe('logging', () => {
  test('logs an added message as a debug line with its tokens, the total and the state', () => {
    const logger = recordingLogger();
    trackerOf({ limit: 100, logger }).addMessage(weighed('user', 20));
    const fields = { tokensAdded: 20, total: 20, state: 'nominal' };
    expect(logger.lines).toEqual([{ level: 'debug', message: 'Added message to context', fields }]);
  });

  test('warns with percentage and state for each message from the warning line on', () => {
    const logger = recordingLogger();
    const tracker = trackerOf({ limit: 1_000, logger });
    for (const tokens of [749, 7, 300]) tracker.addMessage(weighed('user', tokens));
    const warning = { level: 'warn', message: 'Context usage is concerning' };
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
      { ...warning, fields: { pressure: '75.6%', state: 'warning' } },
      { ...warning, fields: { pressure: '105.6%', state: 'redlined' } },
    ]);
  });

  test('logs clears and compressions as info lines, but no compression that removes nothing', () => {
    const logger = recordingLogger();
    const tracker = trackerOf({ limit: 100, logger });
    for (const tokens of [30, 30, 30]) tracker.addMessage(weighed('user', tokens));
    tracker.compressToThreshold(50.5);
    tracker.compressToThreshold(50.5);
    tracker.clear();
    const fields = { messagesRemoved: 2, newTokens: 30, target: 50 };
    expect(logger.lines.filter(({ level }) => level === 'info')).toEqual([
      { level: 'info', message: 'Compressed context', fields },
      { level: 'info', message: 'Clearing context', fields: { tokensCleared: 30, messages: 1 } },
    ]);
  });
});
