import type { GrowthBelief } from './growth-prior';
import { meanOf, type Tally, unevenness } from './tally';

/** Tokens per turn from here on: log-normal, its centre and the variance of the logarithm. */
export interface ExpectedRate {
  tokensPerTurn: number;
  variance: number;
}

/** Uneven turns carry less information than independent ones, because they come in bursts. */
const MOST_BURSTS = 3;
const LARGEST_VARIANCE = 3;

/** The growth seen, weighed against the prior. @returns null where the context does not grow */
export function expectedRate(growth: Readonly<Tally>, beliefs: readonly GrowthBelief[]): ExpectedRate | null {
  const mean = meanOf(growth);
  if (mean <= 0) return null;
  const uneven = unevenness(growth);
  const noise = Math.min((uneven * burstFactor(uneven)) / growth[0], LARGEST_VARIANCE);
  const seen = Math.log(mean);
  const parts = beliefs.map(({ share, logRate, spread }) => {
    const own = spread * spread;
    const total = own + noise;
    const distance = seen - logRate;
    return {
      weight: (share * Math.exp((-distance * distance) / (2 * total))) / Math.sqrt(total),
      centre: logRate + (own / total) * distance,
      variance: (own * noise) / total,
    };
  });
  const weights = parts.reduce((sum, part) => sum + part.weight, 0);
  // Too far from all priors: use the growth alone.
  if (!(weights > 0)) return { tokensPerTurn: mean, variance: noise };
  const centre = parts.reduce((sum, part) => sum + part.weight * part.centre, 0) / weights;
  const variance =
    parts.reduce((sum, part) => sum + part.weight * (part.variance + (part.centre - centre) ** 2), 0) /
    weights;
  return { tokensPerTurn: Math.exp(centre), variance };
}

/** Factor on the variance of a mean; 1 for even values. */
export function burstFactor(uneven: number): number {
  return 1 + (MOST_BURSTS - 1) * Math.min(uneven, 1);
}
