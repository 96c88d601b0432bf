import { describe, expect, test } from 'vitest';
import { type ReportedTurn, UsageProcessor, type UsageProcessorOptions } from './index';

const result = (input: number, output: number) => ({ usage: { input_tokens: input, output_tokens: output } });

/** A processor with its reports and its log lines. */
function observe(options: UsageProcessorOptions = {}) {
  const turns: ReportedTurn[] = [];
  const gaps: unknown[] = [];
  const lines: [string, string, unknown][] = [];
  const keep = (level: string) => (message: string, fields?: unknown) => {
    lines.push([level, message, fields]);
  };
  const processor = new UsageProcessor({
    session: { turn: (turn) => turns.push(turn), gap: (gap) => gaps.push(gap) },
    logger: { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') },
    ...options,
  });
  return { processor, turns, gaps, lines };
}

const spent = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
});

describe('a reported turn', () => {
  test('has all facts of the turn', () => {
    const { processor, turns } = observe();
    const facts = { call: 'msg_1', model: 'm-1', limit: 1_000, contextTokens: 7 } as const;
    processor.process(result(3, 4), { ...facts, scope: 'main', basis: 'total' });
    expect(turns).toStrictEqual([{ usage: spent(3, 4), ...facts, scope: 'main', basis: 'total' }]);
  });

  test('has the given limit if it is 0 or more', () => {
    for (const [limit, reported] of [
      [0, { usage: spent(1, 1), limit: 0 }],
      [-1, { usage: spent(1, 1) }],
    ] as const) {
      const { processor, turns } = observe({ limit });
      processor.process(result(1, 1));
      expect(turns).toStrictEqual([reported]);
    }
  });

  test('has the last stated model and window, but no invalid window', () => {
    const { processor, turns } = observe();
    processor.process(result(1, 1), { model: 'm-1', limit: 5_000 });
    for (const limit of [undefined, 0, -3, 1.5, Number.NaN]) processor.process(result(1, 1), { limit });
    expect(processor.limit).toBe(5_000);
    expect(turns).toHaveLength(6);
    for (const turn of turns) expect(turn).toStrictEqual({ usage: spent(1, 1), model: 'm-1', limit: 5_000 });
  });

  test('has the reading of a single call with the snapshot lens only', () => {
    for (const lens of ['snapshot', 'cumulative'] as const) {
      const { processor, turns } = observe({ lens });
      processor.process(result(3, 4));
      expect(turns).toStrictEqual([
        lens === 'snapshot' ? { usage: spent(3, 4), contextTokens: 7 } : { usage: spent(3, 4) },
      ]);
    }
  });
});

describe('further facts', () => {
  test('include the session and the figures of each turn', () => {
    const { processor, lines } = observe({ sessionId: 's-1', limit: 100 });
    processor.process(result(10, 5));
    const figures = {
      turn: expect.objectContaining({ inputTokens: 10, outputTokens: 5 }),
      cumulative: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0 },
    };
    const fields = { sessionId: 's-1', ...figures, limit: 100, pressure: 0.15 };
    expect(lines).toEqual([['debug', expect.any(String), fields]]);
  });
});

test('treat an unknown vendor as a settings error, not as a gap in the session', () => {
  const { processor, gaps, turns } = observe({ vendor: 'acme' as 'codex' });
  expect(() => processor.process(result(1, 1))).toThrow('Unknown vendor "acme"');
  expect([gaps, turns]).toEqual([[], []]);
});
