import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  ContextPressureError,
  ContextUsage,
  DEFAULT_LIMIT,
  DEFAULT_RESTART_LINE,
  UsageProcessor,
  type UsageProcessorOptions,
} from './index';
import { recordingLogger } from './testing/recording-logger';

const result = (input: number, output: number, cacheRead = 0) => ({
  type: 'result',
  usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: cacheRead },
});

function pressureOf(act: () => unknown): ContextPressureError {
  try {
    act();
  } catch (error) {
    if (error instanceof ContextPressureError) return error;
    throw error;
  }
  throw new Error('no pressure was raised');
}

describe('turns', () => {
  test('keeps its sums in the given usage', () => {
    const usage = new ContextUsage();
    new UsageProcessor({ usage }).process(result(1, 2, 3));
    expect([usage.inputTokens, usage.outputTokens, usage.cacheReadTokens]).toEqual([1, 2, 3]);
  });

  test('counts no turn for a result or an answer of Claude with only zeros', () => {
    const session = { turns: 0, turn: () => (session.turns += 1) };
    const processor = new UsageProcessor({ session });
    processor.process(result(0, 0));
    processor.process({ type: 'assistant', message: { id: 'msg_1', usage: result(0, 0).usage } });
    expect(session.turns).toBe(0);
    expect(processor.usage.isTrackingEnabled()).toBe(true);
  });

  test('logs the turn and the sums with limit and pressure', () => {
    const logger = recordingLogger();
    const processor = new UsageProcessor({ limit: 10_000, logger });
    processor.process(result(500, 1000, 10_000));
    processor.process(result(600, 1200, 20_000));
    expect(logger.lines).toEqual([
      'debug: Context usage: 15.0% of 10000 tokens',
      'debug: Context usage: 33.0% of 10000 tokens',
    ]);
  });

  test('counts running totals of a thread by their difference', () => {
    const processor = new UsageProcessor({ runningTotals: true });
    const sums = () => [processor.usage.inputTokens, processor.usage.outputTokens];
    const codex = (input: number, cached: number, output: number) => ({
      type: 'turn.completed',
      usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output },
    });
    processor.process(codex(1000, 400, 50));
    expect(sums()).toEqual([600, 50]);
    const difference = { inputTokens: 400, outputTokens: 30, cacheReadTokens: 1600 };
    expect(processor.process(codex(3000, 2000, 80)).usage).toMatchObject(difference);
    expect(sums()).toEqual([1000, 80]);
    // The client compacted in place: the sums start again, and the thread's totals continue.
    processor.reset({ sameThread: true });
    processor.process(codex(3500, 2000, 90));
    expect(sums()).toEqual([500, 10]);
    // A new thread counts from 0. Falling totals or a restart show that the thread is new.
    processor.process(codex(100, 0, 7));
    expect(sums()).toEqual([600, 17]);
    processor.reset({ continuation: 1 });
    processor.process(codex(500, 0, 9));
    expect(sums()).toEqual([500, 9]);
  });
});

describe('the restart line', () => {
  test('is 0.90 of 200 000 tokens by default', () => {
    const processor = new UsageProcessor();
    expect([DEFAULT_LIMIT, DEFAULT_RESTART_LINE]).toEqual([200_000, 0.9]);
    expect([processor.limit, processor.restartLine]).toEqual([200_000, 0.9]);
    processor.process(result(179_999, 0));
    expect(pressureOf(() => processor.process(result(0, 1))).pressure).toBe(0.9);
  });

  test('raises an error with the sums of the context, not of the last turn', () => {
    const processor = new UsageProcessor({ limit: 1000, restartLine: 0.5, sessionId: 'ticket-7' });
    expect(processor.process(result(200, 200, 4000)).pressure).toBe(0.4);
    const error = pressureOf(() => processor.process(result(100, 100, 2500)));
    const sums = { inputTokens: 300, outputTokens: 300, cacheReadTokens: 6500 };
    expect({ ...error }).toMatchObject({ ...sums, sessionId: 'ticket-7', pressure: 0.6 });
  });

  test('raises an error with the session that the turn names', () => {
    const processor = new UsageProcessor({ limit: 10 });
    expect(pressureOf(() => processor.process(result(5, 5))).sessionId).toBe('');
    expect(pressureOf(() => processor.process(result(5, 5), { sessionId: 's-2' })).sessionId).toBe('s-2');
  });

  test.each([70, 2.1, Number.POSITIVE_INFINITY])(
    'refuses %d, which is a percentage or no share',
    (restartLine) => {
      expect(() => new UsageProcessor({ restartLine })).toThrow(
        `"restartLine" must be a share of the limit above 0, as in 0.9; a share above 1, up to 2, is never reached, not ${restartLine}`,
      );
      expect(new UsageProcessor({ restartLine: 2 }).restartLine).toBe(2);
    },
  );

  test('refuses an invalid restart line or limit', () => {
    for (const restartLine of [0, -1, Number.NaN]) {
      expect(() => new UsageProcessor({ restartLine })).toThrow('"restartLine" must be a share of the limit');
    }
    // The protocol takes only whole numbers: it would refuse every turn with such a limit.
    for (const limit of [Number.NaN, Number.POSITIVE_INFINITY, 10.5]) {
      expect(() => new UsageProcessor({ limit })).toThrow('"limit" must be a whole number of tokens');
    }
  });

  test('refuses an unknown option or lens by name', () => {
    const mistyped = { restartLin: 0.5 };
    expect(() => new UsageProcessor(mistyped as UsageProcessorOptions)).toThrow(
      'Unknown setting "restartLin". Did you mean "restartLine"?',
    );
    const options = { lens: 'snapshoot' } as unknown as UsageProcessorOptions;
    expect(() => new UsageProcessor(options)).toThrow('"lens" must be cumulative or snapshot, not snapshoot');
  });
});

describe('missing usage', () => {
  test('warns once of a result without usage, and disables tracking', () => {
    const logger = recordingLogger();
    const processor = new UsageProcessor({ limit: 1000, restartLine: 0.5, logger });
    processor.process(result(200, 200));
    const outcome = processor.process({ type: 'result', usage: null });
    processor.process({ type: 'result' });
    expect(outcome).toMatchObject({ usage: null, pressure: 0, state: 'untracked', inputTokens: 200 });
    expect(processor.usage.isTrackingEnabled()).toBe(false);
    expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
      'warn: A result message has no usage: context tracking disabled',
    ]);
  });

  test.each([
    ['a result', { type: 'result', usage: { tokens_in: 5, tokens_out: 7 } }],
    ['a Map', new Map([['usage', new Map(Object.entries({ tokens_in: 5, tokens_out: 7 }))]])],
    ['a bare usage', { tokens_in: 5, tokens_out: 7 }],
  ])('names the fields of %s if it knows none of them', (_, message) => {
    const logger = recordingLogger();
    const processor = new UsageProcessor({ logger });
    expect(processor.process(message)).toMatchObject({ usage: null, state: 'untracked' });
    expect(logger.lines).toEqual([
      'warn: A usage has only unknown fields (tokens_in, tokens_out): context tracking disabled',
    ]);
  });

  test('counts no later turn until the next context, and raises nothing', () => {
    const processor = new UsageProcessor({ limit: 1000, restartLine: 0.5 });
    processor.process(null);
    expect(processor.process(result(900, 900))).toMatchObject({ pressure: 0, inputTokens: 0 });
    expect(processor.usage.isTrackingEnabled()).toBe(false);
  });

  test('enables tracking again with the first usage after a reset, and logs it', () => {
    const logger = recordingLogger();
    const processor = new UsageProcessor({ limit: 1000, restartLine: 0.5, logger });
    processor.process(null);
    processor.reset({ continuation: 1 });
    expect(processor.state).toBe('untracked');
    expect(processor.process(result(100, 100))).toMatchObject({ pressure: 0.2, state: 'nominal' });
    expect(logger.lines).toContain('info: A result message has usage again: context tracking enabled');
    expect(pressureOf(() => processor.process(result(200, 200))).pressure).toBe(0.6);
  });

  test('keeps tracking off if the first turn after the reset has no usage', () => {
    const processor = new UsageProcessor();
    processor.process(null);
    processor.reset({ continuation: 1 });
    processor.process(null);
    processor.process(result(1, 1));
    expect(processor.usage.isTrackingEnabled()).toBe(false);
  });
});

describe('the limit', () => {
  test.each<[string, UsageProcessorOptions, number | undefined, number]>([
    ['the given limit overrides the client’s', { limit: 5 }, 7, 5],
    ['the client’s limit overrides the model’s known window', { model: 'claude-sonnet-5' }, 7, 7],
    ['the model’s known window overrides the default', { model: 'claude-sonnet-5' }, undefined, 1_000_000],
    ['an unknown model has the default', { model: 'acme-1' }, undefined, 200_000],
  ])('%s', (_, options, stated, expected) => {
    const processor = new UsageProcessor({ ...options, restartLine: 1.1 });
    expect(processor.process(result(1, 1), { limit: stated }).limit).toBe(expected);
  });

  test('is the window of the model in the dated table, whether an option or a response names the model', () => {
    expect(new UsageProcessor({ model: 'gpt-4o' }).limit).toBe(128_000);
    const logger = recordingLogger();
    const processor = new UsageProcessor({ logger });
    const usage = { prompt_tokens: 96_000, completion_tokens: 0 };
    const response = { object: 'chat.completion', id: 'chatcmpl-x1y2', model: 'gpt-4o-2024-11-20', usage };
    expect(processor.process(response)).toMatchObject({
      limit: 128_000,
      limitSource: 'table',
      pressure: 0.75,
    });
    expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  });

  test('is assumed for an unknown model, with one warning for each model', () => {
    const logger = recordingLogger();
    const processor = new UsageProcessor({ logger });
    expect(processor.process(result(1, 1))).toMatchObject({ limit: 200_000, limitSource: 'assumed' });
    for (const model of ['acme-1', 'acme-1', 'acme-2']) processor.process(result(1, 1), { model });
    const warning = (of: string) =>
      `warn: The context window of ${of} is unknown, so 200000 tokens are assumed; set "limit"`;
    expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual([
      warning('the model'),
      warning('the model "acme-1"'),
      warning('the model "acme-2"'),
    ]);
    expect(processor.process(result(1, 1), { limit: 9_000 }).limitSource).toBe('client');
    expect(new UsageProcessor({ limit: 5 }).limitSource).toBe('given');
  });
});

test('a processor is written as JSON and shown in the console with its figures', () => {
  const processor = new UsageProcessor({ limit: 1_000, restartLine: 0.8, sessionId: 's-1' });
  processor.process(result(200, 50, 9_000));
  const figures = {
    sessionId: 's-1',
    lens: 'cumulative',
    ...{ inputTokens: 200, outputTokens: 50, cacheReadTokens: 9_000 },
    ...{ limit: 1_000, limitSource: 'given', restartLine: 0.8, pressure: 0.25, state: 'nominal' },
  };
  expect(JSON.parse(JSON.stringify(processor))).toEqual(figures);
  expect(inspect(processor)).toContain('pressure: 0.25');
  expect(inspect(processor.usage)).toContain('inputTokens: 200');
});

describe('the snapshot lens', () => {
  test('replaces a reading by the next one', () => {
    const processor = new UsageProcessor({ lens: 'snapshot', limit: 1000 });
    expect(processor.state).toBe('unknown');
    processor.process(result(1, 1), { contextTokens: 500 });
    expect(processor.pressure).toBe(0.5);
    const after = processor.process(result(1, 1), { contextTokens: 300 });
    expect(after).toMatchObject({ pressure: 0.3, state: 'nominal', inputTokens: 2 });
  });

  test.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])(
    'refuses a size of %d and raises nothing',
    (size) => {
      const processor = new UsageProcessor({ lens: 'snapshot', limit: 1000 });
      processor.process(result(1, 1), { contextTokens: 500 });
      expect(() => processor.process(result(1, 1), { contextTokens: size })).toThrow(
        expect.objectContaining({ name: 'UsageCountError', field: 'contextTokens' }),
      );
      expect([processor.pressure, processor.usage.usedTokens]).toEqual([0.5, 2]);
    },
  );

  test('keeps the last reading after a turn without usage, but not after a reset', () => {
    const processor = new UsageProcessor({ lens: 'snapshot', limit: 1000 });
    processor.process(result(1, 1), { contextTokens: 500 });
    expect(processor.process(null)).toMatchObject({ pressure: 0.5, state: 'elevated' });
    processor.reset({ continuation: 1 });
    expect([processor.pressure, processor.state]).toEqual([0, 'unknown']);
  });
});
