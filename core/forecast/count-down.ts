/**
 * Forecasts the turns and minutes until a context reaches a point, with an 80 % range. The width of the range comes
 * from the rate, the unevenness of turns, and the point, because clients compact only near it.
 */
import type { FoldEvidence } from '../api/evidence';
import type { Forecast } from '../api/session';
import type { LensName } from '../protocol/items';
import { expectedRate, growthBeliefs, paceBeliefs, type UsualTurn, withPast } from './expected-rate';
import { type GrowthRecord, unevenGrowth, unevenPace } from './growth-record';
import { rounded } from './tally';

export type Range = NonNullable<Forecast['turns']>;
type Countdown = Omit<Forecast, 'kind' | 'at'>;
type CountdownParts = Omit<NonNullable<FoldEvidence['countdown']>, 'kind' | 'at' | 'left'>;

const LEAST_TURNS = 3;
/** If the upper end is more than this many times the median, there is no forecast. */
const LARGEST_FACTOR = 5;
const ROUGH_RATIO = 4;
/** Standard deviations between the median and an end of an 80 % range. */
const RANGE_DEVIATIONS = 1.2816;
/**
 * Clients and people often compact before the point, and seldom after it, so only the lower end allows for this. The
 * values are a share of the point's tokens, and the maximum variance that the share adds.
 */
const POINT_SPREAD = 0.07;
const MOST_POINT_VARIANCE = 1;
/** Counted share of the variance. The full variance would give a range of more than 80 %. */
const TURN_SHARE = 0.75;
const MOST_STEP_VARIANCE = 1.5;
/**
 * Factors of the standard deviations of minutes. Waits for people make more outcomes late than early.
 * `npm run forecast` measures how wide the ranges have to be.
 */
const MINUTES_ENDS = { low: 0.8, high: 1.35 };
/**
 * Share of the context's own mean slope in the logarithm of the minutes, and the largest factor between the two. A mean
 * of two forecasts with different errors has a smaller error.
 */
const SLOPE_SHARE = 1 / 3;
const LARGEST_SLOPE_FACTOR = 4;
/** Turns added because turns are uneven: a few large turns cause most growth, so a usual turn is below the mean. */
const MOST_OVERSHOOT = 3;
/** Hundredths of a minute, because more digits would only make large lists longer. */
const PARTS = 100;

/** @param leftTokens above 0 @param usual typical turn instead of the built-in values */
export function countDown(
  record: Readonly<GrowthRecord>,
  leftTokens: number,
  pointTokens: number,
  lens: LensName,
  usual?: UsualTurn,
): Countdown {
  const parts = weighCountdown(record, leftTokens, pointTokens, lens, usual);
  if (typeof parts === 'string') return { turns: null, minutes: null, certainty: parts, tokensPerTurn: null };
  const { tokensPerTurn, overshoot, factors, pace } = parts;
  const turns = leftTokens / tokensPerTurn + overshoot;
  return {
    turns: {
      low: Math.max(1, Math.floor(turns / factors.low)),
      mid: Math.max(1, Math.ceil(turns)),
      high: Math.max(1, Math.ceil(turns * factors.high)),
    },
    minutes: pace === null ? null : minutesOf(turns * pace.minutesPerTurn, pace.factors),
    certainty: factors.low * factors.high > ROUGH_RATIO ? 'rough' : 'fair',
    tokensPerTurn: Math.max(1, Math.round(tokensPerTurn)),
  };
}

/** @returns the parts of the countdown, or the reason why there is none */
export function weighCountdown(
  record: Readonly<GrowthRecord>,
  leftTokens: number,
  pointTokens: number,
  lens: LensName,
  usual?: UsualTurn,
): CountdownParts | 'early' | 'still' {
  if (record.turns < LEAST_TURNS) return 'early';
  const uneven = unevenGrowth(record);
  const rate = expectedRate(record.growth, uneven, withPast(growthBeliefs(lens, usual), record.past));
  if (rate === null) return 'still';
  const overshoot = Math.min(uneven, MOST_OVERSHOOT);
  const turns = leftTokens / rate.perTurn + overshoot;
  const variance = turnVariance(uneven, rate.variance, turns);
  const pointVariance = Math.min(((POINT_SPREAD * pointTokens) / leftTokens) ** 2, MOST_POINT_VARIANCE);
  const factors = factorsOf(variance, pointVariance);
  if (factors.high > LARGEST_FACTOR) return 'early';
  const unevenWaits = unevenPace(record);
  const pace = expectedRate(record.pace, unevenWaits, paceBeliefs(usual));
  return {
    tokensPerTurn: rate.perTurn,
    overshoot,
    factors,
    pace: pace && {
      minutesPerTurn: pace.perTurn * slopeFactor(record, leftTokens, turns * pace.perTurn),
      factors: factorsOf(
        variance + turnVariance(unevenWaits, pace.variance, turns),
        pointVariance,
        MINUTES_ENDS,
      ),
    },
  };
}

/** Factor that moves the minutes towards the context's own mean slope. */
function slopeFactor({ elapsed }: Readonly<GrowthRecord>, leftTokens: number, minutes: number): number {
  if (elapsed === undefined) return 1;
  const [elapsedMinutes, elapsedTokens] = elapsed;
  const slope = elapsedTokens > 0 ? (leftTokens * elapsedMinutes) / elapsedTokens : Number.POSITIVE_INFINITY;
  const factor = Math.min(Math.max(slope / minutes, 1 / LARGEST_SLOPE_FACTOR), LARGEST_SLOPE_FACTOR);
  return factor ** SLOPE_SHARE;
}

/** Variance of the rate and of the future turns. */
function turnVariance(uneven: number, rateVariance: number, turns: number): number {
  return TURN_SHARE * (rateVariance + Math.min(uneven / Math.max(turns, 1), MOST_STEP_VARIANCE));
}

function factorsOf(
  variance: number,
  pointVariance: number,
  ends = { low: 1, high: 1 },
): CountdownParts['factors'] {
  const factorOf = (sum: number, end: number) => Math.exp(end * RANGE_DEVIATIONS * Math.sqrt(sum));
  return { low: factorOf(variance + pointVariance, ends.low), high: factorOf(variance, ends.high) };
}

function minutesOf(mid: number, { low, high }: CountdownParts['factors']): Range {
  return { low: rounded(mid / low, PARTS), mid: rounded(mid, PARTS), high: rounded(mid * high, PARTS) };
}
