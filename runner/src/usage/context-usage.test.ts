import { describe, expect, test } from 'vitest';
import { ContextPressureError, ContextUsage, UsageCountError } from './index';
import { recordingLogger } from './testing/recording-logger';

function sumsOf({ inputTokens, outputTokens, cacheReadTokens }: ContextUsage) {
  return [inputTokens, outputTokens, cacheReadTokens];
}

function usageOf(inputTokens: number, outputTokens: number, cacheReadTokens = 0): ContextUsage {
  const usage = new ContextUsage();
  usage.addTurn({ inputTokens, outputTokens, cacheReadTokens });
  return usage;
}

describe('turns', () => {
  test('its sums are read-only', () => {
    const usage = usageOf(10, 20, 30);
    for (const name of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'usedTokens']) {
      expect(() => Object.assign(usage, { [name]: 0 })).toThrow(TypeError);
    }
    expect(sumsOf(usage)).toEqual([10, 20, 30]);
  });

  test.each([
    ['a fraction', 1.5],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a number beyond 2^53−1', 2 ** 53],
    ['a text', '12'],
    ['a big integer', 12n],
    ['an object', {}],
  ])('refuses a whole turn with %s, naming the field', (_, wrong) => {
    const usage = usageOf(10, 20, 30);
    for (const field of ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const) {
      const turn = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, [field]: wrong };
      const refusal = refusalOf(() => usage.addTurn(turn));
      expect(refusal).toMatchObject({ code: 'invalid_count', field, name: 'UsageCountError' });
      expect(refusal.message).toMatch(new RegExp(`^"${field}" must be a whole number from −`));
    }
    expect(sumsOf(usage)).toEqual([10, 20, 30]);
  });

  test.each([
    ['inputTokens', [Number.MAX_SAFE_INTEGER, 0, 0], [1, 0, 0]],
    ['outputTokens', [0, Number.MAX_SAFE_INTEGER, 0], [0, 1, 0]],
    ['cacheReadTokens', [0, 0, Number.MAX_SAFE_INTEGER], [5, 5, 1]],
    ['inputTokens', [0, Number.MAX_SAFE_INTEGER, 0], [1, 0, 0]],
    ['outputTokens', [Number.MAX_SAFE_INTEGER - 1, 0, 0], [1, 1, 0]],
  ] as const)('refuses a sum above 2^53−1 naming %s, and changes nothing', (field, before, turn) => {
    const usage = usageOf(before[0], before[1], before[2]);
    const [inputTokens, outputTokens, cacheReadTokens] = turn;
    const refusal = refusalOf(() => usage.addTurn({ inputTokens, outputTokens, cacheReadTokens }));
    expect(refusal).toMatchObject({ code: 'sum_overflow', field });
    expect(refusal.message).toContain(field);
    expect(sumsOf(usage)).toEqual(before);
  });
});

describe('tracking', () => {
  test('stays disabled within its context', () => {
    const usage = usageOf(10, 20);
    usage.disableTracking();
    expect(usage.enableTracking()).toBe(false);
    expect(usage.isTrackingEnabled()).toBe(false);
  });

  test('can be enabled again after a reset, once', () => {
    const usage = usageOf(10, 20);
    usage.disableTracking();
    usage.reset();
    expect(usage.enableTracking()).toBe(true);
    expect(usage.enableTracking()).toBe(false);
    usage.addTurn({ inputTokens: 3, outputTokens: 4 });
    expect(sumsOf(usage)).toEqual([3, 4, 0]);
  });

  test('logs a reset with the number of the continuation', () => {
    const logger = recordingLogger();
    const usage = new ContextUsage({ sessionId: 'ticket-7', logger });
    usage.reset({ continuation: 3 });
    usage.reset();
    expect(logger.lines).toEqual([
      'debug: Session ticket-7: resetting context usage for restart (continuation #3)',
      'debug: Session ticket-7: resetting context usage for a new context',
    ]);
  });
});

test('divides by 200 000 tokens without a limit', () => {
  expect(usageOf(60_000, 40_000).pressure()).toBe(0.5);
});

test('carries the session, the sums and the pressure in the error and its message', () => {
  const sums = { inputTokens: 300, outputTokens: 301, cacheReadTokens: 6500 };
  const facts = { sessionId: 'ticket-7', ...sums, pressure: 0.601 };
  const error = new ContextPressureError(facts);
  expect(error).toBeInstanceOf(Error);
  expect({ ...error }).toMatchObject({ ...facts, code: 'context_pressure' });
  expect(error.message).toBe(
    'Context pressure of session ticket-7: 60.1% (input=300 output=301 cache_read=6500)',
  );
});

function refusalOf(act: () => void): UsageCountError {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageCountError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('refuses counts as options, which would not be counted', () => {
  const counts = { inputTokens: 1_000 } as object;
  expect(() => new ContextUsage(counts)).toThrow('Unknown option "inputTokens"');
});

test('its sums are in its JSON', () => {
  const usage = new ContextUsage();
  usage.addTurn({ inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 });
  expect(JSON.parse(JSON.stringify({ usage }))).toEqual({
    usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, trackingState: 'enabled' },
  });
});
