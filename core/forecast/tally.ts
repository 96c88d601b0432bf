/**
 * Running figures of a stream of values, in four numbers. Older values count less. An outlier counts only up to a
 * bound, because a single huge turn or idle night does not predict the next value. A second equal outlier counts in
 * full.
 */

/** Weight, weighted sum, weighted sum of squares, last unbounded value. */
export type Tally = [weight: number, sum: number, squares: number, last: number];

export interface TallyRule {
  /** The prior, which counts as one value. */
  readonly typical: number;
  readonly leastBound: number;
  /** Precision: figures are rounded to 1 / parts. */
  readonly parts: number;
  /** Number of further values after which a value counts half. */
  readonly halfLife: number;
}

const BOUND_MEANS = 2;
const BOUND_DEVIATIONS = 2;

export function emptyTally(): Tally {
  return [0, 0, 0, 0];
}

export function addToTally(tally: Tally, value: number, rule: TallyRule): void {
  const [weight, sum, squares, last] = tally;
  const { typical, parts } = rule;
  const kept = 0.5 ** (1 / rule.halfLife);
  const mean = Math.max(0, (sum + typical) / (weight + 1));
  const deviation = Math.sqrt(Math.max(0, (squares + 2 * typical * typical) / (weight + 1) - mean * mean));
  const bound = Math.max(
    mean + Math.max(BOUND_MEANS * mean, BOUND_DEVIATIONS * deviation),
    Math.abs(last),
    rule.leastBound,
  );
  const counted = Math.min(Math.max(value, -bound), bound);
  tally[0] = rounded(weight * kept + 1, 1_000);
  tally[1] = rounded(sum * kept + counted, parts);
  tally[2] = rounded(squares * kept + counted * counted, parts);
  tally[3] = rounded(value, parts);
}

export function meanOf([weight, sum]: Readonly<Tally>): number {
  return weight > 0 ? sum / weight : 0;
}

/** Unevenness that counts as so many further values, because a few values may be similar by chance. */
export type AssumedUnevenness = readonly [values: number, unevenness: number];
const LARGEST_UNEVENNESS = 9;

/** Variance over squared mean. 0: equal values, 1: an exponential distribution. */
export function unevenness(tally: Readonly<Tally>, [values, assumed]: AssumedUnevenness): number {
  const [weight, , squares] = tally;
  const mean = meanOf(tally);
  if (weight <= 0 || mean <= 0) return LARGEST_UNEVENNESS;
  const variance = Math.max(0, squares / weight - mean * mean);
  const seen = Math.min(variance / (mean * mean), LARGEST_UNEVENNESS);
  return (weight * seen + values * assumed) / (weight + values);
}

export function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}
