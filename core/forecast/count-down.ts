/**
 * Forecasts the turns and minutes until a context reaches a point, with an 80 % range. The width of the range comes
 * from the rate, the unevenness of turns, changes over time, and the point, because clients compact near it, not at it.
 */
import type { FoldEvidence } from '../api/evidence';
import type { Forecast } from '../api/session';
import type { LensName } from '../protocol/items';
import { beliefsOf, burstFactor, expectedRate, type GrowthBelief, withPast } from './expected-rate';
import type { GrowthRecord } from './growth-record';
import { meanOf, unevenness } from './tally';

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
const POINT_SPREAD = 0.03;
const MOST_POINT_VARIANCE = 0.5;
const MOST_STEP_VARIANCE = 1.5;
/** A forecast that is long compared with the past is less certain. */
const DRIFT_VARIANCE = 0.03;
const MOST_DRIFT_RATIO = 4;
/** Agents sometimes wait for people and long tests, which no pace predicts. */
const PACE_VARIANCE = 0.3;
/** Maximum unevenness that counts. On average, uneven growth adds half of the unevenness in turns. */
const MOST_OVERSHOOT = 3;

/** @param leftTokens above 0 @param beliefs prior instead of the lens's own */
export function countDown(
  record: Readonly<GrowthRecord>,
  leftTokens: number,
  pointTokens: number,
  lens: LensName,
  beliefs: readonly GrowthBelief[] = beliefsOf(lens),
): Countdown {
  const parts = weighCountdown(record, leftTokens, pointTokens, lens, beliefs);
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
  beliefs: readonly GrowthBelief[] = beliefsOf(lens),
): CountdownParts | 'early' | 'still' {
  if (record.turns < LEAST_TURNS) return 'early';
  const rate = expectedRate(record.growth, withPast(beliefs, record.past));
  if (rate === null) return 'still';
  const uneven = unevenness(record.growth);
  const overshoot = Math.min(uneven, MOST_OVERSHOOT) / 2;
  const turns = leftTokens / rate.tokensPerTurn + overshoot;
  const variance =
    rate.variance +
    Math.min(uneven / Math.max(turns, 1), MOST_STEP_VARIANCE) +
    DRIFT_VARIANCE * Math.min(turns / record.turns, MOST_DRIFT_RATIO) +
    Math.min(((POINT_SPREAD * pointTokens) / leftTokens) ** 2, MOST_POINT_VARIANCE);
  const factor = Math.exp(RANGE_DEVIATIONS * Math.sqrt(variance));
  if (factor * factor > WIDEST_RATIO) return 'early';
  return {
    tokensPerTurn: rate.tokensPerTurn,
    overshoot,
    factor,
    pace: weighPace(record, turns, variance),
  };
}

function weighPace(
  { pace }: Readonly<GrowthRecord>,
  turns: number,
  variance: number,
): CountdownParts['pace'] {
  const minutesPerTurn = meanOf(pace);
  if (minutesPerTurn <= 0) return null;
  const uneven = unevenness(pace);
  const noise = (uneven * burstFactor(uneven)) / pace[0];
  const steps = Math.min(uneven / Math.max(turns, 1), MOST_STEP_VARIANCE);
  const total = variance + PACE_VARIANCE + noise + steps;
  return { minutesPerTurn, factor: Math.exp(RANGE_DEVIATIONS * Math.sqrt(total)) };
}

function minutesOf(mid: number, factor: number): Range {
  return { low: rounded(mid / factor), mid: rounded(mid), high: rounded(mid * factor) };
}

/** Hundredths of a minute, because more digits would only make large lists longer. */
function rounded(minutes: number): number {
  return Math.round(minutes * 100) / 100;
}
