import { z } from 'zod';

/**
 * One point of a series: a turn, or a bucket of turns. `t` milliseconds since the epoch (running maximum,
 * never going back), `n` the number of the last turn in it, `context` the context it ends in.
 * `used` is the lens's value in tokens after its last turn: null means unknown, a gap and never a zero.
 */
export const seriesPoint = z.object({
  t: z.number(),
  n: z.number(),
  context: z.number(),
  used: z.number().nullable(),
  /** Smallest and largest value in the bucket; equal to `used` for one turn. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  /** Limit in force, tokens. */
  limit: z.number().nullable(),
  /** Turns in the bucket. */
  turns: z.number(),
  /** Sums over the bucket. */
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheCreation: z.number(),
  /** Cumulative values of the context after the last turn. */
  cumulativeInput: z.number(),
  cumulativeOutput: z.number(),
  cumulativeCacheRead: z.number(),
  /**
   * Sums over all turns of the chain up to the last one of this point, boundaries or not: telemetry. Null where
   * they are not known: in a series of sampled turns (the lenses of other tools and sub-agents, when long).
   */
  totalCacheRead: z.number().nullable(),
  totalCacheCreation: z.number().nullable(),
  estimated: z.boolean(),
  untracked: z.boolean(),
});
export type SeriesPoint = z.infer<typeof seriesPoint>;

export const series = z.object({
  sessionId: z.uuid(),
  chain: z.string(),
  lens: z.enum(['cumulative', 'snapshot', 'last-turn', 'cache-inflated']),
  /** The session's version the series was read at. */
  version: z.number(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  /** Turns in the range, before thinning. */
  turnCount: z.number(),
  thinned: z.boolean(),
  points: z.array(seriesPoint),
});
export type Series = z.infer<typeof series>;
