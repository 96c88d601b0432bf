/** Compares forecasts and two plain slopes with the real outcome. Each forecast gets its prior from other sessions. */
import { countDown, type Range } from '../../core/forecast/count-down';
import type { UsualTurn } from '../../core/forecast/expected-rate';
import { median } from '../../core/forecast/median';
import { createRandom } from '../../core/scenario/random';
import type { Moment, ReplayedContext } from './replay-session';

interface Outcome {
  /** Turns, or minutes of work. */
  real: number;
  forecast: Range | null;
  /** Predictions from the mean slope of the context and of its last 20 turns; infinite without growth. */
  meanSlope: number;
  lastSlope: number;
}

export type Unit = 'turns' | 'minutes';
export type Case = Record<Unit, Outcome> & { session: string };

/** Shorter contexts are not judged by their level, and have no typical turn. */
export const LEAST_TURNS = 25;
const LEAST_TURNS_BEFORE = 4;
const LAST_TURNS = 20;
/** A longer pause counts as this many minutes of work. */
const LONGEST_WAIT_MINUTES = 10;
const MINUTE = 60_000;

/**
 * Judge forecasts after a share (0 to 1) of each context's turns.
 * @param contexts of at least two sessions
 * @param target `boundary`: the boundary that an automatically compacted context counted down to, and the highest level
 * of a context compacted by hand, because no forecast knows when a person compacts. `level`: the highest level of any
 * long context
 */
export function judgeContexts(
  contexts: readonly ReplayedContext[],
  share: number,
  target: 'boundary' | 'level',
): Case[] {
  return contexts.flatMap((context) => {
    const { endedBy } = context;
    if (target === 'boundary' && endedBy !== 'compaction' && endedBy !== 'hand') return [];
    const isCountedDown = target === 'boundary' && endedBy === 'compaction';
    const reached = isCountedDown ? { context, level: undefined } : untilHighest(context);
    if (reached === null) return [];
    const usual = usualTurn(contexts.filter(({ session }) => session !== context.session));
    return judgeContext(reached.context, share, usual, reached.level) ?? [];
  });
}

/** @param level target instead of the boundary. @returns null if it is too early or nothing is left */
function judgeContext(
  { session, moments }: ReplayedContext,
  share: number,
  usual: UsualTurn | undefined,
  level?: number,
): Case | null {
  const after = Math.floor(moments.length * share);
  const moment = moments[after - 1];
  if (moment === undefined || after < LEAST_TURNS_BEFORE) return null;
  const at = level ?? moment.used + moment.left;
  if (at <= moment.used) return null;
  const { turns, minutes } = countDown(moment.record, at - moment.used, at, moment.lens, usual);
  const slope = (last: number) => {
    const past = moments.slice(Math.max(0, after - 1 - last), after);
    const steps = past.length - 1;
    const growth = (moment.used - (past[0]?.used ?? 0)) / steps;
    const left = growth > 0 ? (at - moment.used) / growth : Number.POSITIVE_INFINITY;
    return { turns: left, minutes: (left * minutesOfWork(past)) / steps };
  };
  const [mean, last] = [slope(after), slope(LAST_TURNS)];
  const real = { turns: moments.length - after, minutes: minutesOfWork(moments.slice(after - 1)) };
  const outcome = (unit: Unit, forecast: Range | null): Outcome => {
    return { real: real[unit], forecast, meanSlope: mean[unit], lastSlope: last[unit] };
  };
  return { session, turns: outcome('turns', turns), minutes: outcome('minutes', minutes) };
}

export interface Verdict {
  /** Median of |forecast − real| / real. */
  error: number;
  meanSlope: number;
  lastSlope: number;
  outcomes: number;
  /** Share of outcomes inside the 80 % range. */
  coverage: number;
  /** Factor of the range's logarithmic width with which it would have 80 % of the outcomes. */
  width: number;
}

type Judged = Outcome & { forecast: Range };

function outcomesOf(cases: readonly Case[], unit: Unit): Judged[] {
  return cases.flatMap(({ [unit]: { forecast, ...outcome } }) =>
    forecast === null || outcome.real === 0 ? [] : [{ ...outcome, forecast }],
  );
}

export function judge(cases: readonly Case[], unit: Unit): Verdict {
  const outcomes = outcomesOf(cases, unit);
  const error = (valueFrom: (outcome: (typeof outcomes)[number]) => number) =>
    median(outcomes.map((outcome) => Math.abs(valueFrom(outcome) - outcome.real) / outcome.real));
  const inside = outcomes.filter(({ forecast, real }) => forecast.low <= real && real <= forecast.high);
  return {
    error: error(({ forecast }) => forecast.mid),
    meanSlope: error(({ meanSlope }) => meanSlope),
    lastSlope: error(({ lastSlope }) => lastSlope),
    outcomes: outcomes.length,
    coverage: inside.length / outcomes.length,
    width: neededWidth(outcomes),
  };
}

/** The distance of an outcome from the median, in logarithms, as a share of the range's end on its side. */
function distanceOf({ real, forecast: { low, mid, high } }: Judged): number {
  if (real === mid) return 0;
  return real > mid
    ? Math.log(real / mid) / Math.log(high / mid)
    : Math.log(mid / real) / Math.log(mid / low);
}

/** The conformal factor: the distance that 80 % of the outcomes do not exceed. */
function neededWidth(outcomes: readonly Judged[]): number {
  const sorted = outcomes.map(distanceOf).toSorted((a, b) => a - b);
  return sorted[Math.min(Math.ceil(0.8 * (sorted.length + 1)), sorted.length) - 1] ?? Number.NaN;
}

/** Coverage if the ranges of each session are widened by the factor of the other sessions. */
export function widenedCoverage(cases: readonly Case[], unit: Unit): number {
  const inside = cases.flatMap((one) => {
    const width = neededWidth(
      outcomesOf(
        cases.filter(({ session }) => session !== one.session),
        unit,
      ),
    );
    return outcomesOf([one], unit).map((outcome) => distanceOf(outcome) <= width);
  });
  return inside.filter(Boolean).length / inside.length;
}

const isBetter = ({ error, meanSlope, lastSlope }: Verdict) => error < Math.min(meanSlope, lastSlope);

const DRAWS = 500;
const DEVIATIONS = 1.645;
const [LEAST_COVERAGE, MOST_COVERAGE] = [0.75, 0.85];

/**
 * Whether the error is below both slopes, and 75 to 85 % of outcomes are in the range. Each figure has a 90 % interval.
 * The contexts of a session are similar, so errors are sampled by session, and a session counts as one case of coverage.
 */
export function judgeGoal(cases: readonly Case[], unit: Unit) {
  const verdict = judge(cases, unit);
  const names = [...new Set(cases.map(({ session }) => session))];
  const [first = [], ...rest] = names.map((name) => cases.filter(({ session }) => session === name));
  const random = createRandom(1);
  const draw = () => names.flatMap(() => random.pick([first, ...rest]));
  const draws = Array.from({ length: DRAWS }, () => judge(draw(), unit));
  const interval = (name: keyof Verdict): [low: number, high: number] => {
    if (name === 'coverage') return shareInterval(verdict.coverage, names.length);
    const sorted = draws.map((sample) => sample[name]).toSorted((a, b) => a - b);
    return [sorted[DRAWS * 0.05] ?? Number.NaN, sorted[DRAWS * 0.95] ?? Number.NaN];
  };
  const better = draws.filter(isBetter).length / DRAWS;
  const isWithin = (low: number, high: number) => low <= MOST_COVERAGE && high >= LEAST_COVERAGE;
  const isMet = isBetter(verdict) && isWithin(verdict.coverage, verdict.coverage);
  const goal = isMet ? 'met' : better > 0.05 && isWithin(...interval('coverage')) ? 'open' : 'missed';
  return { verdict, interval, better, goal, sessions: names.length };
}

/** Probability that a range of exactly 80 % has 75 to 85 % of `count` outcomes. Outcomes are few, so it is below 1. */
export function chanceOfGoal(count: number): number {
  // Logarithms, because 0.2 to the power of many outcomes is below the smallest number.
  let [logarithm, chance] = [count * Math.log(0.2), 0];
  for (let inside = 0; inside <= count; inside += 1) {
    const share = inside / count;
    if (share >= LEAST_COVERAGE && share <= MOST_COVERAGE) chance += Math.exp(logarithm);
    logarithm += Math.log((4 * (count - inside)) / (inside + 1));
  }
  return chance;
}

/** Wilson's interval of a share of `count` cases. */
function shareInterval(share: number, count: number): [low: number, high: number] {
  const weight = DEVIATIONS ** 2 / count;
  const half = Math.sqrt((DEVIATIONS ** 2 * share * (1 - share)) / count + weight ** 2 / 4);
  return [(share + weight / 2 - half) / (1 + weight), (share + weight / 2 + half) / (1 + weight)];
}

function minutesOfWork(moments: readonly Moment[]): number {
  const gaps = moments.slice(1).map(({ at }, i) => (at - (moments[i]?.at ?? 0)) / MINUTE);
  return gaps.reduce((sum, gap) => sum + Math.min(Math.max(0, gap), LONGEST_WAIT_MINUTES), 0);
}

/** Medians of the later half of long contexts; undefined if none is long enough. */
function usualTurn(contexts: readonly ReplayedContext[]): UsualTurn | undefined {
  const later = contexts
    .filter(({ moments }) => moments.length >= LEAST_TURNS)
    .map(({ moments }) => moments.slice(moments.length >> 1));
  const growth = later.map((half) => ((half.at(-1)?.used ?? 0) - (half[0]?.used ?? 0)) / (half.length - 1));
  const usual = {
    tokens: median(growth.filter((tokens) => tokens > 0)),
    minutes: median(later.map((half) => minutesOfWork(half) / (half.length - 1))),
  };
  return usual.tokens > 0 && usual.minutes > 0 ? usual : undefined;
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
