import { describe, expect, test } from 'vitest';
import type { LensName } from '../../../core/protocol/items';
import type { RunnerSession } from '../client/client-types';
import {
  ContextPressureError,
  type ReportedTurn,
  UsageCountError,
  UsageProcessor,
  type UsageProcessorOptions,
  type UsageSession,
} from './index';
import { recordingLogger } from './testing/recording-logger';

const result = (input: number, output: number, cacheRead = 0) => ({
  type: 'result',
  usage: { input_tokens: input, output_tokens: output, cache_read_input_tokens: cacheRead },
});

function recordingSession(): UsageSession & { turns: ReportedTurn[]; gaps: unknown[] } {
  const turns: ReportedTurn[] = [];
  const gaps: unknown[] = [];
  return { turns, gaps, turn: (turn) => turns.push(turn), gap: (gap) => gaps.push(gap) };
}

describe('reports', () => {
  test('does not disturb the agent if the logger throws or the session rejects', async () => {
    const fail = () => {
      throw new Error('the logger is gone');
    };
    const rejected = Promise.reject(new Error('the session is gone'));
    const processor = new UsageProcessor({
      session: { turn: () => rejected },
      logger: { debug: fail, info: fail, warn: fail, error: fail },
    });
    expect(processor.process(result(1, 2)).inputTokens).toBe(1);
    expect(processor.process(null).state).toBe('untracked');
    processor.reset();
    await expect(rejected).rejects.toThrow('the session is gone');
  });

  test('reports a turn with its deltas, its model and the stated limit', () => {
    const session = recordingSession();
    const processor = new UsageProcessor({ session, limit: 200_000, model: 'm-1' });
    processor.process(
      { usage: { input_tokens: -5, output_tokens: 7, cache_creation_input_tokens: 9 } },
      { call: 'msg_1' },
    );
    expect(session.turns).toEqual([
      {
        usage: { inputTokens: -5, outputTokens: 7, cacheReadTokens: 0, cacheCreationTokens: 9 },
        call: 'msg_1',
        model: 'm-1',
        limit: 200_000,
      },
    ]);
  });

  test('reports the turn that reaches the restart line before it raises the error', () => {
    const session = recordingSession();
    const processor = new UsageProcessor({ session, limit: 10 });
    expect(() => processor.process(result(5, 5))).toThrow(ContextPressureError);
    expect(session.turns).toHaveLength(1);
  });

  test('accepts the client’s session', () => {
    const fits = (session: RunnerSession): UsageSession => session;
    expect(fits).toBeTypeOf('function');
  });

  test('reports a side call without adding it to sums or disabling tracking', () => {
    const session = recordingSession();
    const processor = new UsageProcessor({ limit: 1_000, session });
    processor.process(result(900, 900), { scope: 'side' });
    processor.process({ type: 'result', usage: null }, { scope: 'side' });
    expect(processor.usage.usedTokens).toBe(0);
    expect(processor.usage.isTrackingEnabled()).toBe(true);
    expect(session.turns.map(({ scope, usage }) => [scope, usage?.inputTokens ?? null])).toEqual([
      ['side', 900],
      ['side', null],
    ]);
  });
});

describe('the lens', () => {
  const declaring = (options: UsageProcessorOptions = {}) => {
    const reports: unknown[] = [];
    const keep = (name: string) => (fields: object) => reports.push({ [name]: fields });
    const session = { start: keep('start'), turn: keep('turn'), alias: keep('alias') };
    return { reports, processor: new UsageProcessor({ limit: 200_000, ...options, session }) };
  };
  const response = (prompt: number, completion: number) => ({
    object: 'chat.completion',
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  });

  test('is snapshot for calls of a provider, and each turn has the size of the context', () => {
    const { processor, reports } = declaring();
    const prompts = [20_000, 30_000, 40_000, 47_000];
    for (const prompt of prompts) processor.process(response(prompt, 100));
    expect(processor.lens).toBe('snapshot');
    expect(processor.pressure).toBe(47_100 / 200_000);
    expect(reports).toMatchObject([
      { start: { lens: 'snapshot' } },
      ...prompts.map((prompt) => ({ turn: { usage: { inputTokens: prompt }, contextTokens: prompt + 100 } })),
    ]);
  });

  test('is cumulative for results of agents, running totals and bare deltas', () => {
    for (const message of [result(5, 6, 700), { input_tokens: 5, output_tokens: 6 }]) {
      const { processor, reports } = declaring();
      processor.process(message);
      expect(reports).toMatchObject([
        { start: { lens: 'cumulative' } },
        { turn: { usage: { inputTokens: 5 } } },
      ]);
      expect(processor.pressure).toBe(11 / 200_000);
    }
    const { processor } = declaring({ runningTotals: true });
    processor.process(response(10, 5));
    expect(processor.lens).toBe('cumulative');
  });

  /** Ten calls with a prompt cache. The size grows to 120 000 tokens. */
  const CACHED = Array.from({ length: 10 }, (_, at) => ({ read: 12_000 * at, added: 11_900, output: 100 }));

  test.each<[string, (call: { read: number; added: number; output: number }) => object]>([
    [
      'results of the AI SDK',
      ({ read, added, output }) => ({
        finishReason: 'stop',
        usage: { inputTokens: read + added, outputTokens: output, cachedInputTokens: read },
      }),
    ],
    [
      'messages of LangChain',
      ({ read, added, output }) => ({
        type: 'ai',
        usage_metadata: {
          input_tokens: read + added,
          output_tokens: output,
          total_tokens: read + added + output,
          input_token_details: { cache_read: read },
        },
      }),
    ],
    [
      'the usage of a message of LangChain',
      ({ read, added, output }) => ({
        input_tokens: read + added,
        output_tokens: output,
        total_tokens: read + added + output,
        input_token_details: { cache_read: read },
      }),
    ],
    [
      'responses of Anthropic',
      ({ read, added, output }) => ({
        type: 'message',
        usage: { input_tokens: added, output_tokens: output, cache_read_input_tokens: read },
      }),
    ],
    [
      'responses of Bedrock',
      ({ read, added, output }) => ({
        stopReason: 'end_turn',
        usage: { inputTokens: added, outputTokens: output, cacheReadInputTokens: read },
      }),
    ],
  ])('is snapshot for %s, so cached tokens are in the pressure', (_, messageOf) => {
    const processor = new UsageProcessor({ limit: 128_000 });
    const share = { pressure: 120_000 / 128_000 };
    const act = () => {
      for (const call of CACHED) processor.process(messageOf(call));
    };
    expect(act).toThrow(expect.objectContaining({ name: 'ContextPressureError', ...share }));
    expect(processor.lens).toBe('snapshot');
  });

  test('that is assumed causes one warning once the cache traffic is over ten times the sums', () => {
    const logger = recordingLogger();
    const processor = new UsageProcessor({ limit: 128_000, logger });
    for (const read of [0, 5_000, 20_000, 40_000]) {
      const usage = { input_tokens: 600, output_tokens: 50, cache_read_input_tokens: read };
      processor.process(usage);
      expect(logger.lines.some((line) => line.includes("set lens: 'snapshot'"))).toBe(read >= 20_000);
    }
    expect(logger.lines.filter((line) => line.startsWith('warn'))).toHaveLength(1);
  });

  test('that is assumed for a bare usage with a prompt cache causes a warning, once', () => {
    const usage = { input_tokens: 5, output_tokens: 6, cache_creation_input_tokens: 700 };
    const warningsOf = (message: unknown, lens?: LensName) => {
      const logger = recordingLogger();
      const processor = new UsageProcessor({ limit: 200_000, lens, logger });
      for (let turn = 0; turn < 3; turn += 1) processor.process(message);
      return logger.lines.filter((line) => /^warn.*lens: 'snapshot'/.test(line)).length;
    };
    expect(warningsOf(usage)).toBe(1);
    expect(warningsOf(usage, 'cumulative')).toBe(0);
    expect(warningsOf({ usage })).toBe(1);
    expect(warningsOf(result(5, 6, 700))).toBe(0);
    expect(warningsOf({ input_tokens: 5, output_tokens: 6 })).toBe(0);
  });

  test('is the declared lens, whatever the first usage is', () => {
    const { processor, reports } = declaring({ lens: 'cumulative' });
    processor.process(response(10, 5), { scope: 'side' });
    processor.process(response(10, 5));
    expect(reports.filter((report) => Object.hasOwn(report as object, 'start'))).toEqual([
      { start: { lens: 'cumulative' } },
    ]);
    expect(processor.pressure).toBe(15 / 200_000);
  });

  test('of an Agent SDK stream is reported with the client’s session id and the ids of its calls', () => {
    const { processor, reports } = declaring();
    const message = {
      id: 'msg_1',
      usage: { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 90 },
    };
    for (const id of ['s-1', 's-1', 's-2'])
      processor.process({ type: 'assistant', session_id: id, request_id: 'req_1', message });
    expect(reports).toMatchObject([
      { alias: { client: 'claude-code', clientSessionId: 's-1' } },
      { start: { lens: 'snapshot' } },
      { turn: { call: ['msg_1', 'req_1'], contextTokens: 97 } },
      { alias: { clientSessionId: 's-2' } },
      { turn: { call: ['msg_1', 'req_1'] } },
    ]);
  });
});

describe('refused turns', () => {
  test('refuses a turn with an invalid count as a whole, and reports a gap', () => {
    const session = recordingSession();
    const processor = new UsageProcessor({ session });
    processor.process(result(1, 2, 3));
    expect(() => processor.process({ usage: { input_tokens: 5, output_tokens: '7' } })).toThrow(
      UsageCountError,
    );
    expect(processor.usage.usedTokens).toBe(3);
    expect(session.turns).toHaveLength(1);
    expect(session.gaps).toEqual([{ count: 1, reason: 'invalid_count: outputTokens' }]);
  });

  test('refuses a turn that would make a sum inexact as a whole, and reports a gap', () => {
    const session = recordingSession();
    const processor = new UsageProcessor({ restartLine: 1.1, session });
    processor.process(result(Number.MAX_SAFE_INTEGER, 0));
    expect(() => processor.process(result(1, 0))).toThrow(UsageCountError);
    expect(session.turns).toHaveLength(1);
    expect(session.gaps).toEqual([{ count: 1, reason: 'sum_overflow: inputTokens' }]);
  });
});
