/**
 * Forecasts the turns and minutes until a context reaches a point, with an 80 % range. The width of the range comes
 * from the rate, the unevenness of turns, changes over time, and the point, because clients compact only near it.
 */
import type { FoldEvidence } from '../api/evidence';
import type { Forecast } from '../api/session';
import type { LensName } from '../protocol/items';
import { expectedRate, growthBeliefs, paceBeliefs, type UsualTurn, withPast } from './expected-rate';
import type { GrowthRecord } from './growth-record';
import { type Tally, unevenness } from './tally';

export type Range = NonNullable<Forecast['turns']>;
type Countdown = Omit<Forecast, 'kind' | 'at'>;
type CountdownParts = Omit<NonNullable<FoldEvidence['countdown']>, 'kind' | 'at' | 'left'>;

const LEAST_TURNS = 3;
/** If the ends of a range differ by more than this factor, there is no forecast. */
const WIDEST_RATIO = 25;
const ROUGH_RATIO = 4;
/** Standard deviations between the median and an end of an 80 % range. */
const RANGE_DEVIATIONS = 1.2816;
/** Uncertainty of the point, as a share of the point's tokens, and the maximum variance that it adds. */
const POINT_SPREAD = 0.02;
const MOST_POINT_VARIANCE = 0.3;
/** Share of the variance of turns that counts. The full variance would give a 90 % range instead of 80 %. */
const TURN_SHARE = 0.7;
const MOST_STEP_VARIANCE = 1.5;
/** A forecast that is long compared with the past is less certain. */
const DRIFT_VARIANCE = 0.03;
const MOST_DRIFT_RATIO = 4;
/** Agents sometimes wait for people and long tests, which no pace predicts. */
const PACE_DRIFT_VARIANCE = 0.12;
/** Turns added because turns are uneven: a few large turns cause most growth, so a usual turn is below the mean. */
const MOST_OVERSHOOT = 3;

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
  const { tokensPerTurn, overshoot, factor, pace } = parts;
  const turns = leftTokens / tokensPerTurn + overshoot;
  return {
    turns: {
      low: Math.max(1, Math.floor(turns / factor)),
      mid: Math.max(1, Math.ceil(turns)),
      high: Math.max(1, Math.ceil(turns * factor)),
    },
    minutes: pace === null ? null : minutesOf(turns * pace.minutesPerTurn, pace.factor),
    certainty: factor * factor > ROUGH_RATIO ? 'rough' : 'fair',
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
  const variance =
    turnVariance(record.growth, rate.variance, turns) +
    DRIFT_VARIANCE * drift +
    Math.min(((POINT_SPREAD * pointTokens) / leftTokens) ** 2, MOST_POINT_VARIANCE);
  const factor = factorOf(variance);
  if (factor * factor > WIDEST_RATIO) return 'early';
  const pace = expectedRate(record.pace, paceBeliefs(usual));
  return {
    tokensPerTurn: rate.perTurn,
    overshoot,
    factor,
    pace: pace && {
      minutesPerTurn: pace.perTurn,
      factor: factorOf(
        variance + turnVariance(record.pace, pace.variance, turns) + PACE_DRIFT_VARIANCE * drift,
      ),
    },
  };
}

/** Variance of the rate and of the future turns. */
function turnVariance(tally: Readonly<Tally>, rateVariance: number, turns: number): number {
  return TURN_SHARE * (rateVariance + Math.min(unevenness(tally) / Math.max(turns, 1), MOST_STEP_VARIANCE));
}

function factorOf(variance: number): number {
  return Math.exp(RANGE_DEVIATIONS * Math.sqrt(variance));
}

function minutesOf(mid: number, factor: number): Range {
  return { low: rounded(mid / factor), mid: rounded(mid), high: rounded(mid * factor) };
}

/** Hundredths of a minute, because more digits would only make large lists longer. */
function rounded(minutes: number): number {
  return Math.round(minutes * 100) / 100;
}
