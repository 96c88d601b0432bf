import { describe, expect, test } from 'vitest';
import type { RunnerSession } from '../client/client-types';
import {
  ContextPressureError,
  type ReportedTurn,
  UsageCountError,
  UsageProcessor,
  type UsageSession,
} from './index';

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
        usage: { input: -5, output: 7, cacheRead: 0, cacheCreation: 9 },
        call: 'msg_1',
        model: 'm-1',
        limit: 200_000,
      },
    ]);
  });

  test('reports the turn that reaches the threshold before it raises the error', () => {
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
    expect(session.turns.map(({ scope, usage }) => [scope, usage?.input ?? null])).toEqual([
      ['side', 900],
      ['side', null],
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
    const processor = new UsageProcessor({ threshold: 1.1, session });
    processor.process(result(Number.MAX_SAFE_INTEGER, 0));
    expect(() => processor.process(result(1, 0))).toThrow(UsageCountError);
    expect(session.turns).toHaveLength(1);
    expect(session.gaps).toEqual([{ count: 1, reason: 'sum_overflow: inputTokens' }]);
  });
});
