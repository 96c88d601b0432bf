/** Compares forecasts, and a plain mean slope, with the real outcome. */
import type { Forecast } from '../../core/api/session';
import type { Range } from '../../core/forecast/count-down';
import { emptyGrowthRecord, recordTurn } from '../../core/forecast/growth-record';
import { meanOf } from '../../core/forecast/tally';
import { median } from '../lib/median';
import { forecastAtRate, forecastOfLevel, type Moment, type ReplayedContext } from './replay-session';

export interface Case {
  name: string;
  /** Turns of the whole context. */
  turns: number;
  /** Turns before the forecast. */
  after: number;
  /** Real turns until the context's end. */
  real: number;
  /** Real minutes until the context's end; a pause counts as ten minutes at most. */
  realMinutes: number;
  forecast: Range | null;
  minutes: Range | null;
  /** Turns until the end at the context's mean growth; null: no growth. */
  meanSlope: number | null;
}

interface Verdict {
  cases: number;
  /** Cases without a forecast yet. */
  silent: number;
  /** Median of |forecast − real| / real. */
  error: number;
  meanSlopeError: number;
  /** Share of cases with the real count inside the 80 % range. */
  coverage: number;
  minutesError: number;
  minutesCoverage: number;
}

const LONGEST_WAIT_MINUTES = 10;
const MINUTE = 60_000;

/** Judge the forecast after a share (0 to 1) of the context's turns. Null if it is too early or there is none. */
export function judgeContext(
  context: ReplayedContext,
  share: number,
  forecastAt: (moment: Moment) => Forecast | null = (moment) => moment.forecast,
): Case | null {
  const { moments } = context;
  const after = Math.floor(moments.length * share);
  const moment = moments[after - 1];
  const first = moments[0];
  if (moment === undefined || first === undefined || after < 4) return null;
  const forecast = forecastAt(moment);
  if (forecast === null) return null;
  const left = forecast.at - moment.used;
  const perTurn = (moment.used - first.used) / (after - 1);
  return {
    name: `${context.session.slice(-40)} ${context.index}`,
    turns: moments.length,
    after,
    real: moments.length - after,
    realMinutes: minutesOfWork(moments.slice(after - 1)),
    forecast: forecast.turns,
    minutes: forecast.minutes,
    meanSlope: perTurn > 0 ? left / perTurn : null,
  };
}

/** Judge forecasts with the typical growth of the other sessions. */
export function judgeByOthers(
  contexts: readonly ReplayedContext[],
  all: readonly ReplayedContext[],
  share: number,
): Case[] {
  return contexts.flatMap((context) => {
    const rate = laterRate(all.filter(({ session }) => session !== context.session));
    if (rate === null) return [];
    return judgeContext(context, share, (moment) => forecastAtRate(moment, rate)) ?? [];
  });
}

/** Judge forecasts of the highest level that each context reached. */
export function judgeByLevel(contexts: readonly ReplayedContext[], share: number): Case[] {
  return contexts.flatMap((context) => {
    const reached = untilHighest(context);
    if (reached === null) return [];
    return judgeContext(reached.context, share, (moment) => forecastOfLevel(moment, reached.level)) ?? [];
  });
}

export function judge(cases: readonly Case[]): Verdict {
  const turns = cases.flatMap(({ forecast: range, real }) => (range === null ? [] : [{ range, real }]));
  const minutes = cases.flatMap(({ minutes: range, realMinutes: real }) =>
    range === null ? [] : [{ range, real }],
  );
  const error = (all: typeof turns) => median(all.map(({ range, real }) => errorOf(range.mid, real)));
  const coverage = (all: typeof turns) =>
    all.filter(({ range, real }) => range.low <= real && real <= range.high).length / all.length;
  return {
    cases: cases.length,
    silent: cases.length - turns.length,
    error: error(turns),
    meanSlopeError: median(cases.map(({ meanSlope, real }) => errorOf(meanSlope, real))),
    coverage: coverage(turns),
    minutesError: error(minutes),
    minutesCoverage: coverage(minutes),
  };
}

/** Infinite without a forecast. */
export function errorOf(forecast: number | null, real: number): number {
  return forecast === null ? Number.POSITIVE_INFINITY : Math.abs(forecast - real) / real;
}

function minutesOfWork(moments: readonly Moment[]): number {
  let minutes = 0;
  for (let i = 1; i < moments.length; i += 1) {
    const gap = ((moments[i]?.at ?? 0) - (moments[i - 1]?.at ?? 0)) / MINUTE;
    minutes += Math.min(Math.max(0, gap), LONGEST_WAIT_MINUTES);
  }
  return minutes;
}

/** Contexts with fewer turns are not judged for rate or level. */
const LEAST_TURNS = 25;

/** Geometric mean of the tokens per turn in the later half of contexts; null if none is long enough. */
function laterRate(contexts: readonly ReplayedContext[]): number | null {
  const logs = contexts.flatMap(({ moments }) => {
    if (moments.length < LEAST_TURNS) return [];
    const later = moments.slice(Math.floor(moments.length / 2));
    const record = emptyGrowthRecord();
    later.slice(1).forEach((moment, i) => {
      recordTurn(record, 0, moment.used - (later[i]?.used ?? moment.used));
    });
    const rate = meanOf(record.growth);
    return rate > 0 ? [Math.log(rate)] : [];
  });
  if (logs.length === 0) return null;
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

/**
 * The context up to the turn that reached its highest level, and a level just below it that no earlier turn reached.
 */
function untilHighest(context: ReplayedContext): { context: ReplayedContext; level: number } | null {
  const { moments } = context;
  if (moments.length < LEAST_TURNS) return null;
  const highest = Math.max(...moments.map(({ used }) => used));
  const end = moments.findIndex(({ used }) => used === highest) + 1;
  const before = Math.max(0, ...moments.slice(0, end - 1).map(({ used }) => used));
  return { context: { ...context, moments: moments.slice(0, end) }, level: (highest + before) / 2 };
}
