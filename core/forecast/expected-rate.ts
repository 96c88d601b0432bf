import type { LensName } from '../protocol/items';
import { meanOf, type Tally, unevenness } from './tally';

/** One log-normal component of the prior for a context's tokens per turn. */
export interface GrowthBelief {
  readonly share: number;
  readonly logRate: number;
  readonly spread: number;
}

/**
 * Growth per call of coding agents, between two values measured on transcripts of Claude Code and Codex: 900 in the
 * later half of a context, 1 400 over the whole context. Agents read much at first and write little later, so early
 * growth overstates later growth. `npm run forecast` compares the forecast with any folder of transcripts.
 */
const CALL_RATE_TOKENS = 1_100;
const CALL_SPREAD = 0.55;
/** Other kinds of agents can have nearly any rate. */
const OTHER_SHARE = 0.15;
const OTHER_RATE_TOKENS = 2_000;
const OTHER_SPREAD = 1.3;
const PAST_SHARE = 0.2;
const PAST_SPREAD = 0.6;

const OF_CALLS: readonly GrowthBelief[] = [
  { share: 1 - OTHER_SHARE, logRate: Math.log(CALL_RATE_TOKENS), spread: CALL_SPREAD },
  { share: OTHER_SHARE, logRate: Math.log(OTHER_RATE_TOKENS), spread: OTHER_SPREAD },
];
/** For the cumulative lens, where a turn may be one call or an hour of work. */
const OF_TURNS: readonly GrowthBelief[] = [
  { share: 1, logRate: Math.log(OTHER_RATE_TOKENS), spread: OTHER_SPREAD },
];

export function beliefsOf(lens: LensName): readonly GrowthBelief[] {
  return lens === 'snapshot' ? OF_CALLS : OF_TURNS;
}

/** The prior at another rate, to test a forecast on traces that did not contribute to the default rate. */
export function beliefsAtRate(tokensPerTurn: number): readonly GrowthBelief[] {
  const [first, ...rest] = OF_CALLS;
  return first === undefined ? rest : [{ ...first, logRate: Math.log(tokensPerTurn) }, ...rest];
}

/** Adds the rate of the session's earlier contexts. */
export function withPast(
  beliefs: readonly GrowthBelief[],
  [contexts, logRate]: readonly [contexts: number, logRate: number],
): readonly GrowthBelief[] {
  if (contexts === 0) return beliefs;
  return [
    ...beliefs.map((belief) => ({ ...belief, share: belief.share * (1 - PAST_SHARE) })),
    { share: PAST_SHARE, logRate, spread: PAST_SPREAD },
  ];
}

export interface ExpectedRate {
  tokensPerTurn: number;
  variance: number;
}

/** Large turns occur in bursts, so uneven turns are not independent and contain less information. */
const MOST_BURSTS = 3;
const LARGEST_VARIANCE = 3;

/** Combines the observed growth with the prior. @returns null if the context does not grow */
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
  // The growth is too far from every prior, so only the growth counts.
  if (!(weights > 0)) return { tokensPerTurn: mean, variance: noise };
  const centre = parts.reduce((sum, part) => sum + part.weight * part.centre, 0) / weights;
  const variance =
    parts.reduce((sum, part) => sum + part.weight * (part.variance + (part.centre - centre) ** 2), 0) /
    weights;
  return { tokensPerTurn: Math.exp(centre), variance };
}

/** Factor on the variance of a mean. 1 for even values. */
export function burstFactor(uneven: number): number {
  return 1 + (MOST_BURSTS - 1) * Math.min(uneven, 1);
}
