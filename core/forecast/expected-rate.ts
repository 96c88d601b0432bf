import type { LensName } from '../protocol/items';
import { meanOf, type Tally } from './tally';

/** One log-normal component of a prior for a context's tokens or minutes per turn. */
export interface Belief {
  readonly share: number;
  readonly logRate: number;
  readonly spread: number;
}

/** Typical values of a turn. `npm run forecast` derives them from other sessions instead. */
export interface UsualTurn {
  readonly tokens: number;
  readonly minutes: number;
}

/**
 * Medians of the later turns of 250 public sessions of Claude Code and Codex. Agents read much at first and write little
 * later, so early growth overstates later growth.
 */
const USUAL_CALL: UsualTurn = { tokens: 950, minutes: 0.5 };
const CALL_SPREAD = 0.5;
const PACE_SPREAD = 0.8;
/** Other kinds of agents can have nearly any rate. In the cumulative lens a turn may be one call or an hour of work. */
const OTHER_SHARE = 0.15;
const OTHER_RATE_TOKENS = 2_000;
const OTHER_SPREAD = 1.3;
const PAST_SHARE = 0.2;
const PAST_SPREAD = 0.6;

export function growthBeliefs(lens: LensName, usual: UsualTurn = USUAL_CALL): readonly Belief[] {
  const other = { share: 1, logRate: Math.log(OTHER_RATE_TOKENS), spread: OTHER_SPREAD };
  if (lens === 'cumulative') return [other];
  const call = { share: 1 - OTHER_SHARE, logRate: Math.log(usual.tokens), spread: CALL_SPREAD };
  return [call, { ...other, share: OTHER_SHARE }];
}

export function paceBeliefs(usual: UsualTurn = USUAL_CALL): readonly Belief[] {
  return [{ share: 1, logRate: Math.log(usual.minutes), spread: PACE_SPREAD }];
}

/** Adds the rate of the session's earlier contexts. */
export function withPast(
  beliefs: readonly Belief[],
  [contexts, logRate]: readonly [contexts: number, logRate: number],
): readonly Belief[] {
  if (contexts === 0) return beliefs;
  return [
    ...beliefs.map((belief) => ({ ...belief, share: belief.share * (1 - PAST_SHARE) })),
    { share: PAST_SHARE, logRate, spread: PAST_SPREAD },
  ];
}

export interface ExpectedRate {
  perTurn: number;
  variance: number;
}

/** Large turns occur in bursts, so uneven turns are not independent and contain less information. */
const MOST_BURSTS = 4;
const LARGEST_VARIANCE = 3;

/**
 * Combines observed values with the prior.
 * @param uneven unevenness of the values
 * @returns null if their mean is not above 0
 */
export function expectedRate(
  seenTurns: Readonly<Tally>,
  uneven: number,
  beliefs: readonly Belief[],
): ExpectedRate | null {
  const mean = meanOf(seenTurns);
  if (mean <= 0) return null;
  const bursts = 1 + (MOST_BURSTS - 1) * Math.min(uneven, 1);
  const noise = Math.min((uneven * bursts) / seenTurns[0], LARGEST_VARIANCE);
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
  // The values are too far from every prior, so only the values count.
  if (!(weights > 0)) return { perTurn: mean, variance: noise };
  const centre = parts.reduce((sum, part) => sum + part.weight * part.centre, 0) / weights;
  const variance =
    parts.reduce((sum, part) => sum + part.weight * (part.variance + (part.centre - centre) ** 2), 0) /
    weights;
  return { perTurn: Math.exp(centre), variance };
}
