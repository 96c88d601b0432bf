import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { TranscriptItem } from '../../core/agents/agent-format';
import {
  type Case,
  chanceOfGoal,
  judge,
  judgeContexts,
  judgeGoal,
  type Unit,
  widenedCoverage,
} from './judge';
import { type ReplayedContext, replaySession } from './replay-session';

const FILE = fileURLToPath(new URL('../../core/forecast/fixtures/traces.generated.json', import.meta.url));

/** Seconds since the previous turn, and the context's size after this turn, tokens. */
const turn = z.tuple([z.number(), z.number()]);

const sessionNumbers = z.object({
  client: z.string(),
  clientVersion: z.string().nullable(),
  /** The limit stated with each call; null: the model's. */
  limit: z.number().nullable(),
  model: z.string().nullable(),
  contexts: z.array(
    z.object({
      turns: z.array(turn),
      end: z.object({ trigger: z.enum(['auto', 'manual']), preTokens: z.number().nullable() }).nullable(),
    }),
  ),
});

/** Items that fold to the same contexts, from an arbitrary start time. */
function fromNumbers(numbers: z.infer<typeof sessionNumbers>, session: string): TranscriptItem[] {
  let at = Date.UTC(2026, 0, 5);
  const { client, clientVersion, limit, model } = numbers;
  const version = clientVersion === null ? {} : { clientVersion };
  const stated = { ...(model === null ? {} : { model }), ...(limit === null ? {} : { limit }) };
  const items: TranscriptItem[] = [
    { type: 'session_start', session, at, lens: 'snapshot', client, ...version },
  ];
  numbers.contexts.forEach(({ turns, end }, index) => {
    for (const [seconds, contextTokens] of turns) {
      at += seconds * 1000;
      items.push({ type: 'turn', session, at, usage: { input: 1, output: 1 }, contextTokens, ...stated });
    }
    if (end === null) return;
    const { trigger, preTokens } = end;
    const ending = { trigger, boundary: `${session}#${index}`, ...(preTokens === null ? {} : { preTokens }) };
    items.push({ type: 'compaction', session, at, state: 'confirmed', ...ending });
  });
  return items;
}

const SHARES = [0.25, 0.5, 0.75];
const TARGETS = ['boundary', 'level'] as const;
const UNITS: readonly Unit[] = ['turns', 'minutes'];

let contexts: ReplayedContext[];

beforeAll(async () => {
  const traces = z.array(sessionNumbers).parse(JSON.parse(await readFile(FILE, 'utf8')));
  contexts = traces.flatMap((numbers, index) => {
    const name = `trace-${index}`;
    return replaySession(name, fromNumbers(numbers, name));
  });
});

describe('the forecast of real contexts, with the typical turn of the other sessions', () => {
  it('covers seven contexts that ended in a compaction, and seventeen long contexts', () => {
    expect(judgeContexts(contexts, 0.5, 'boundary')).toHaveLength(7);
    expect(judgeContexts(contexts, 0.5, 'level')).toHaveLength(17);
  });

  it('judges a context compacted by hand by the level that it reached, not by the boundary', () => {
    const byHand = contexts.filter(({ endedBy }) => endedBy === 'hand');
    expect(byHand).toHaveLength(1);
    const [session] = byHand.map((context) => context.session);
    for (const share of SHARES) {
      const [first, second] = TARGETS.map((target) =>
        judgeContexts(contexts, share, target).find((one) => one.session === session),
      );
      expect(first).toBeDefined();
      expect(first).toEqual(second);
    }
  });

  it.each(SHARES)(
    'has a smaller error than both slopes at %d of a context, in turns and minutes',
    (share) => {
      const figures = [
        judge(judgeContexts(contexts, share, 'boundary'), 'turns'),
        ...UNITS.map((unit) => judge(judgeContexts(contexts, share, 'level'), unit)),
      ];
      for (const { error, meanSlope, lastSlope } of figures) {
        expect(error).toBeLessThan(Math.min(meanSlope, lastSlope));
        expect(error).toBeLessThan(0.55);
      }
      // Seven contexts are too few to decide.
      expect(judgeGoal(judgeContexts(contexts, share, 'boundary'), 'minutes').goal).not.toBe('missed');
    },
  );

  it.each(UNITS)('has ranges of %s that are right in 75 to 85 % of all cases', (unit) => {
    const cases = SHARES.flatMap((share) => judgeContexts(contexts, share, 'level'));
    const { coverage } = judge(cases, unit);
    expect(coverage).toBeGreaterThanOrEqual(0.75);
    expect(coverage).toBeLessThanOrEqual(0.85);
  });

  it.each(UNITS)('has ranges of %s whose width no level of fill contradicts', (unit) => {
    for (const share of SHARES) {
      const cases = judgeContexts(contexts, share, 'level');
      const [low, high] = judgeGoal(cases, unit).interval('width');
      // These sessions are few, so their own factor is uncertain.
      expect(low).toBeLessThan(1.1);
      expect(high).toBeGreaterThan(0.9);
      expect(widenedCoverage(cases, unit)).toBeGreaterThanOrEqual(0.75);
      expect(widenedCoverage(cases, unit)).toBeLessThanOrEqual(0.85);
    }
  });
});

describe('the goal of the forecast', () => {
  /** Cases of one session each: the first `inside` outcomes are within the range, and the slopes are wrong by half. */
  const casesOf = (count: number, inside: number, mid = 10): Case[] =>
    Array.from({ length: count }, (_, index) => {
      const forecast = { low: index < inside ? 5 : 11, mid, high: 20 };
      const outcome = { real: 10, forecast, meanSlope: 15, lastSlope: 5 };
      return { session: String(index), turns: outcome, minutes: outcome };
    });

  it('gives each figure with a 90 % interval, which is narrower with more sessions', () => {
    const widthOf = (count: number) => {
      const { verdict, interval } = judgeGoal(casesOf(count, count * 0.8), 'turns');
      const [low = Number.NaN, high = Number.NaN] = interval('coverage');
      expect(low).toBeLessThanOrEqual(verdict.coverage);
      expect(high).toBeGreaterThanOrEqual(verdict.coverage);
      return high - low;
    };
    expect(widthOf(200)).toBeLessThan(widthOf(20));
    expect(widthOf(20)).toBeGreaterThan(0);
  });

  it('measures how wide the ranges have to be, and applies the factor of the other sessions', () => {
    // The largest value is outside even if the range reaches the largest of the others.
    const cases = Array.from({ length: 9 }, (_, index): Case => {
      const outcome = {
        real: 2 ** index,
        forecast: { low: 0.5, mid: 1, high: 2 },
        meanSlope: 1,
        lastSlope: 1,
      };
      return { session: String(index), turns: outcome, minutes: outcome };
    });
    expect(judge(cases, 'turns')).toMatchObject({ coverage: 2 / 9, width: 7 });
    expect(widenedCoverage(cases, 'turns')).toBe(8 / 9);
  });

  it('is met by chance only if the cases are few', () => {
    // 6 of 7 are 86 %, and 5 of 7 are 71 %.
    expect(chanceOfGoal(7)).toBe(0);
    expect(chanceOfGoal(5)).toBeCloseTo(5 * 0.8 ** 4 * 0.2, 10);
    expect(chanceOfGoal(17)).toBeCloseTo(0.43, 1);
    expect(chanceOfGoal(1_000)).toBeGreaterThan(0.999);
  });

  it('is met, open or missed by the error, the coverage and the number of cases', () => {
    const goalOf = (inside: number) => judgeGoal(casesOf(100, inside), 'turns').goal;
    const goals = ['missed', 'open', 'met', 'met', 'open', 'missed'];
    expect([60, 74, 75, 85, 86, 95].map(goalOf)).toEqual(goals);
    expect(judgeGoal(casesOf(100, 80, 16), 'turns').goal).toBe('missed');
    expect(judgeGoal(casesOf(7, 7), 'minutes').goal).toBe('open');
  });
});
