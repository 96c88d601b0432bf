/** Compares forecasts, and two plain ways of counting down, with the real outcome. */
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
  /** After how many of them the forecast was made. */
  after: number;
  /** Real turns until its end. */
  real: number;
  /** Minutes of work that passed until then, pauses of more than ten minutes left out. */
  realMinutes: number;
  forecast: Range | null;
  minutes: Range | null;
  /** By the mean growth since the context's beginning, and by that of the last 20 turns; null: no growth. */
  meanSlope: number | null;
  lastTurns: number | null;
}

interface Verdict {
  cases: number;
  /** Cases in which the forecast was "too early to say". */
  silent: number;
  /** Median of |forecast − real| / real. */
  error: number;
  meanSlopeError: number;
  lastTurnsError: number;
  /** Share of the cases with the real count inside the 80 % range. */
  coverage: number;
  minutesError: number;
  minutesCoverage: number;
}

const LAST_TURNS = 20;
const LONGEST_WAIT_MINUTES = 10;
const MINUTE = 60_000;

/**
 * @param share of the context's turns after which the forecast is made.
 * @param target tokens where the context ended, or null for the boundary that the session itself counts down to.
 */
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
  const from = moments[Math.max(0, after - 1 - LAST_TURNS)] ?? first;
  const slope = (since: Moment, turns: number) => {
    const perTurn = (moment.used - since.used) / turns;
    return perTurn > 0 ? left / perTurn : null;
  };
  return {
    name: `${context.session.slice(-40)} ${context.index}`,
    turns: moments.length,
    after,
    real: moments.length - after,
    realMinutes: minutesOfWork(moments.slice(after - 1)),
    forecast: forecast.turns,
    minutes: forecast.minutes,
    meanSlope: slope(first, after - 1),
    lastTurns: slope(from, Math.min(LAST_TURNS, after - 1)),
  };
}

/** With a typical growth taken from the other sessions alone. */
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

/** Towards the highest level that each context reached. */
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
    lastTurnsError: median(cases.map(({ lastTurns, real }) => errorOf(lastTurns, real))),
    coverage: coverage(turns),
    minutesError: error(minutes),
    minutesCoverage: coverage(minutes),
  };
}

/** No growth and so no forecast counts as wrong without bound. */
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

/** Tokens per turn in the later half of contexts, their geometric mean; null where none is long enough. */
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
 * The context up to the turn that reached its highest level, and a level that this turn was the first to pass:
 * a boundary as good as any, for contexts that ended before they met one.
 */
function untilHighest(context: ReplayedContext): { context: ReplayedContext; level: number } | null {
  const { moments } = context;
  if (moments.length < LEAST_TURNS) return null;
  const highest = Math.max(...moments.map(({ used }) => used));
  const end = moments.findIndex(({ used }) => used === highest) + 1;
  const before = Math.max(0, ...moments.slice(0, end - 1).map(({ used }) => used));
  return { context: { ...context, moments: moments.slice(0, end) }, level: (highest + before) / 2 };
}
