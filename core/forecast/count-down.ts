/**
 * Forecasts the turns and minutes until a context reaches a point, with an 80 % range. The width of the range comes
 * from the rate, the unevenness of turns, changes over time, and the point, because clients compact only near it.
 */
import type { FoldEvidence } from '../api/evidence';
import type { Forecast } from '../api/session';
import type { LensName } from '../protocol/items';
import { expectedRate, growthBeliefs, paceBeliefs, type UsualTurn, withPast } from './expected-rate';
import type { GrowthRecord } from './growth-record';
import { rounded, type Tally, unevenness } from './tally';

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
const POINT_SPREAD = 0.05;
const MOST_POINT_VARIANCE = 1;
/** Counted share of the variance of turns. The full variance would give a 90 % range instead of 80 %. */
const TURN_SHARE = 0.8;
const MOST_STEP_VARIANCE = 1.5;
/** A forecast that is long compared with the past is less certain. */
const DRIFT_VARIANCE = 0.03;
const MOST_DRIFT_RATIO = 4;
/** Agents sometimes wait for people and long tests, which no pace predicts. */
const PACE_DRIFT_VARIANCE = 0.06;
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
  const rate = expectedRate(record.growth, withPast(growthBeliefs(lens, usual), record.past));
  if (rate === null) return 'still';
  const overshoot = Math.min(unevenness(record.growth), MOST_OVERSHOOT);
  const turns = leftTokens / rate.perTurn + overshoot;
  const drift = Math.min(turns / record.turns, MOST_DRIFT_RATIO);
  const variance = turnVariance(record.growth, rate.variance, turns) + DRIFT_VARIANCE * drift;
  const pointVariance = Math.min(((POINT_SPREAD * pointTokens) / leftTokens) ** 2, MOST_POINT_VARIANCE);
  const factors = factorsOf(variance, pointVariance);
  if (factors.high > LARGEST_FACTOR) return 'early';
  const pace = expectedRate(record.pace, paceBeliefs(usual));
  return {
    tokensPerTurn: rate.perTurn,
    overshoot,
    factors,
    pace: pace && {
      // Waits are uneven, so the median of their sum is below the mean.
      minutesPerTurn: pace.perTurn / Math.sqrt(1 + unevenness(record.pace) / Math.max(turns, 1)),
      factors: factorsOf(
        variance + turnVariance(record.pace, pace.variance, turns) + PACE_DRIFT_VARIANCE * drift,
        pointVariance,
      ),
    },
  };
}

/** Variance of the rate and of the future turns. */
function turnVariance(tally: Readonly<Tally>, rateVariance: number, turns: number): number {
  return TURN_SHARE * (rateVariance + Math.min(unevenness(tally) / Math.max(turns, 1), MOST_STEP_VARIANCE));
}

function factorsOf(variance: number, pointVariance: number): CountdownParts['factors'] {
  const factorOf = (sum: number) => Math.exp(RANGE_DEVIATIONS * Math.sqrt(sum));
  return { low: factorOf(variance + pointVariance), high: factorOf(variance) };
}

function minutesOf(mid: number, { low, high }: CountdownParts['factors']): Range {
  return { low: rounded(mid / low, PARTS), mid: rounded(mid, PARTS), high: rounded(mid * high, PARTS) };
}
