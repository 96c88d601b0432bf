import { describe, expect, test } from 'vitest';
import { ContextPressureError, ContextUsage, TRACKING_DISABLED, UsageCountError } from './index';
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
  test('a fresh context has spent nothing and is tracked', () => {
    const usage = new ContextUsage();
    expect(sumsOf(usage)).toEqual([0, 0, 0]);
    expect(usage.isTrackingEnabled()).toBe(true);
    expect(usage.trackingState).toBe('enabled');
    expect(usage.pressureRatio(200_000)).toBe(0);
  });

  test('turns accumulate instead of replacing the one before', () => {
    const usage = new ContextUsage();
    usage.addTurn({ inputTokens: 100, outputTokens: 200, cacheReadTokens: 1000 });
    usage.addTurn({ inputTokens: 50, outputTokens: 75, cacheReadTokens: 500 });
    expect(sumsOf(usage)).toEqual([150, 275, 1500]);
    expect(usage.usedTokens).toBe(425);
  });

  test('cache reads may be left out of a turn', () => {
    const usage = new ContextUsage();
    usage.addTurn({ inputTokens: 1, outputTokens: 2 });
    expect(sumsOf(usage)).toEqual([1, 2, 0]);
  });

  test('negative deltas count as 0, each on its own', () => {
    const usage = usageOf(10, 20, 30);
    usage.addTurn({ inputTokens: -5, outputTokens: 1, cacheReadTokens: -1 });
    usage.addTurn({ inputTokens: 1, outputTokens: -7 });
    expect(sumsOf(usage)).toEqual([11, 21, 30]);
  });

  test('its sums cannot be written from outside', () => {
    const usage = usageOf(10, 20, 30);
    for (const name of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'usedTokens']) {
      expect(() => Object.assign(usage, { [name]: 0 })).toThrow(TypeError);
    }
    expect(sumsOf(usage)).toEqual([10, 20, 30]);
  });

  test('sums are exact up to 2^53−1', () => {
    const usage = usageOf(2 ** 52, 2 ** 52 - 2);
    usage.addTurn({ inputTokens: 0, outputTokens: 1, cacheReadTokens: Number.MAX_SAFE_INTEGER });
    expect(usage.usedTokens).toBe(Number.MAX_SAFE_INTEGER);
    expect(usage.cacheReadTokens).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.each([
    ['a fraction', 1.5],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['a number beyond 2^53−1', 2 ** 53],
    ['a text', '12'],
    ['a big integer', 12n],
    ['an object', {}],
  ])('%s is refused by the name of its field, and the whole turn with it', (_, wrong) => {
    const usage = usageOf(10, 20, 30);
    for (const field of ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const) {
      const turn = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, [field]: wrong };
      const refusal = refusalOf(() => usage.addTurn(turn));
      expect(refusal).toMatchObject({ code: 'invalid_count', field, name: 'UsageCountError' });
      expect(refusal.message).toMatch(new RegExp(`^"${field}" must be a whole number of at most 2\\^53−1`));
    }
    expect(sumsOf(usage)).toEqual([10, 20, 30]);
  });

  test.each([
    ['inputTokens', [Number.MAX_SAFE_INTEGER, 0, 0], [1, 0, 0]],
    ['outputTokens', [0, Number.MAX_SAFE_INTEGER, 0], [0, 1, 0]],
    ['cacheReadTokens', [0, 0, Number.MAX_SAFE_INTEGER], [5, 5, 1]],
    ['inputTokens', [0, Number.MAX_SAFE_INTEGER, 0], [1, 0, 0]],
    ['outputTokens', [Number.MAX_SAFE_INTEGER - 1, 0, 0], [1, 1, 0]],
  ] as const)(
    'a sum above 2^53−1 is refused by the name of %s and changes nothing',
    (field, before, turn) => {
      const usage = usageOf(before[0], before[1], before[2]);
      const [inputTokens, outputTokens, cacheReadTokens] = turn;
      const refusal = refusalOf(() => usage.addTurn({ inputTokens, outputTokens, cacheReadTokens }));
      expect(refusal).toMatchObject({ code: 'sum_overflow', field });
      expect(refusal.message).toContain(field);
      expect(sumsOf(usage)).toEqual(before);
    },
  );
});

describe('pressure', () => {
  test('pressure is input and output over the limit', () => {
    expect(usageOf(0, 0).pressureRatio(200_000)).toBe(0);
    expect(usageOf(60_000, 40_000).pressureRatio(200_000)).toBe(0.5);
    expect(usageOf(150_000, 50_000).pressureRatio(200_000)).toBe(1);
  });

  test('cache reads change no pressure', () => {
    const usage = usageOf(1000, 2000, 1_000_000);
    expect(usage.pressureRatio(10_000)).toBe(0.3);
    usage.addTurn({ inputTokens: 0, outputTokens: 0, cacheReadTokens: 77_000_000 });
    expect(usage.pressureRatio(10_000)).toBe(0.3);
  });

  test('487 in, 5 880 out and 1 432 262 cache reads of 200 000 are 3.18 %, not 719 %', () => {
    expect(usageOf(487, 5880, 1_432_262).pressureRatio(200_000)).toBe(0.031835);
  });

  test.each([0, -1, -200_000, Number.NaN])('a limit of %s reads 0, whatever was spent', (limit) => {
    expect(usageOf(1_000_000, 1_000_000).pressureRatio(limit)).toBe(0);
  });

  test('an overshot limit reads above 1', () => {
    expect(usageOf(1_500_000, 500_000).pressureRatio(200_000)).toBe(10);
  });
});

describe('tracking', () => {
  test('without tracking the pressure is 0 whatever the limit', () => {
    const usage = usageOf(5_000, 5_000);
    usage.disableTracking();
    expect(usage.isTrackingEnabled()).toBe(false);
    expect(usage.trackingState).toBe(TRACKING_DISABLED);
    expect([1, 10_000, 200_000].map((limit) => usage.pressureRatio(limit))).toEqual([0, 0, 0]);
  });

  test('without tracking a turn changes no sum and enables nothing', () => {
    const usage = usageOf(10, 20, 30);
    usage.disableTracking();
    usage.addTurn({ inputTokens: 100, outputTokens: 100, cacheReadTokens: 100 });
    expect(sumsOf(usage)).toEqual([10, 20, 30]);
    expect(usage.isTrackingEnabled()).toBe(false);
  });

  test('within its context nothing enables tracking again', () => {
    const usage = usageOf(10, 20);
    usage.disableTracking();
    expect(usage.enableTracking()).toBe(false);
    expect(usage.isTrackingEnabled()).toBe(false);
  });

  test('a reset sets the sums to 0 and leaves tracking on', () => {
    const usage = usageOf(10, 20, 30);
    usage.reset();
    expect(sumsOf(usage)).toEqual([0, 0, 0]);
    expect(usage.isTrackingEnabled()).toBe(true);
    usage.addTurn({ inputTokens: 1, outputTokens: 1 });
    expect(usage.pressureRatio(10)).toBe(0.2);
  });

  test('a reset sets the sums to 0 and leaves lost tracking off', () => {
    const usage = usageOf(10, 20, 30);
    usage.disableTracking();
    usage.reset();
    expect(sumsOf(usage)).toEqual([0, 0, 0]);
    expect(usage.isTrackingEnabled()).toBe(false);
    expect(usage.pressureRatio(10_000)).toBe(0);
    usage.addTurn({ inputTokens: 1, outputTokens: 1 });
    expect(sumsOf(usage)).toEqual([0, 0, 0]);
  });

  test('after a reset tracking may be enabled again, once', () => {
    const usage = usageOf(10, 20);
    usage.disableTracking();
    usage.reset();
    expect(usage.enableTracking()).toBe(true);
    expect(usage.enableTracking()).toBe(false);
    usage.addTurn({ inputTokens: 3, outputTokens: 4 });
    expect(sumsOf(usage)).toEqual([3, 4, 0]);
  });

  test('a turn without usage after the reset keeps tracking off for that context too', () => {
    const usage = usageOf(10, 20);
    usage.disableTracking();
    usage.reset();
    usage.disableTracking();
    expect(usage.enableTracking()).toBe(false);
    usage.reset();
    expect(usage.enableTracking()).toBe(true);
  });

  test('a reset is logged with the number of the continuation', () => {
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

test('carries the session, the sums and the pressure in the error and its message', () => {
  const error = new ContextPressureError({
    sessionId: 'ticket-7',
    inputTokens: 300,
    outputTokens: 301,
    cacheReadTokens: 6500,
    pressureRatio: 0.601,
  });
  expect(error).toBeInstanceOf(Error);
  expect({ ...error }).toMatchObject({
    sessionId: 'ticket-7',
    inputTokens: 300,
    outputTokens: 301,
    cacheReadTokens: 6500,
    pressureRatio: 0.601,
    code: 'context_pressure',
  });
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
