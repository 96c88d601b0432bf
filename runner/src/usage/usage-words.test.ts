/** What the library says: names and sentences that programs and people read. */
import { expect, test } from 'vitest';
import { ContextPressureError, ContextUsage, TRACKING_DISABLED } from './index';

const pressure = { inputTokens: 300, outputTokens: 300, cacheReadTokens: 6_500, pressureRatio: 0.6 };

test('the pressure error names itself, the session where it is known, and the sums', () => {
  const error = new ContextPressureError({ sessionId: 's-1', ...pressure });
  expect([error.name, error.code]).toEqual(['ContextPressureError', 'context_pressure']);
  expect(error.message).toBe('Context pressure of session s-1: 60.0% (input=300 output=300 cache_read=6500)');
  expect(new ContextPressureError({ sessionId: '', ...pressure }).message).toBe(
    'Context pressure: 60.0% (input=300 output=300 cache_read=6500)',
  );
});

test('the tracking state is a word, also when it comes back', () => {
  const usage = new ContextUsage();
  expect(usage.trackingState).toBe('enabled');
  usage.disableTracking();
  expect([usage.trackingState, TRACKING_DISABLED]).toEqual(['disabled', 'disabled']);
  usage.reset();
  usage.enableTracking();
  expect(usage.trackingState).toBe('enabled');
});

test('a reset is one debug line, with the session and the continuation where they are known', () => {
  const lines: unknown[] = [];
  const ignore = () => undefined;
  const logger = {
    debug: (message: string, fields?: object) => lines.push([message, fields]),
    info: ignore,
    warn: ignore,
    error: ignore,
  };
  new ContextUsage({ logger }).reset();
  new ContextUsage({ logger, sessionId: 's-1' }).reset({ continuation: 2 });
  expect(lines).toEqual([
    ['resetting context usage for a new context', { continuation: undefined }],
    ['Session s-1: resetting context usage for restart (continuation #2)', { continuation: 2 }],
  ]);
});
