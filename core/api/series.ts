import { z } from 'zod';

/**
 * One point of a series: a turn, or a bucket of turns. `t` is milliseconds since the epoch (a running
 * maximum), `n` the number of its last turn, `context` the context it ends in. `used` is the lens's value in
 * tokens after its last turn: null means unknown, drawn as a gap and never as zero.
 */
export const seriesPoint = z.object({
  t: z.number(),
  n: z.number(),
  context: z.number(),
  used: z.number().nullable(),
  /** Minimum and maximum in the bucket; equal to `used` for one turn. */
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
   * Sums over all turns of the chain up to this point, across boundaries: telemetry. Null when unknown: in a
   * series of sampled turns (other lenses, and long sub-agents).
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
  /** The session's version at the time of reading. */
  version: z.number(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  /** Turns in the range, before thinning. */
  turnCount: z.number(),
  thinned: z.boolean(),
  points: z.array(seriesPoint),
});
export type Series = z.infer<typeof series>;

/** Sub-agents of a session, each with the points of its own chain. */
const subAgent = z.object({
  /** Key of its chain. */
  chain: z.string(),
  /** Counted turns of the whole chain. */
  turnCount: z.number(),
  /** Chart times of its first and last turn, milliseconds. */
  firstAt: z.number(),
  lastAt: z.number(),
  /** Points in the range, thinned; `n` counts the turns of this chain. */
  points: z.array(seriesPoint.pick({ t: true, n: true, context: true, used: true, limit: true })),
});
export type SubAgent = z.infer<typeof subAgent>;

export const subAgentList = z.object({
  sessionId: z.uuid(),
  lens: series.shape.lens,
  /** The session's version at the time of reading. */
  version: z.number(),
  /** Sub-agents active in the range; the list holds the latest of them. */
  total: z.number(),
  /** By their first turn. */
  agents: z.array(subAgent),
});
export type SubAgentList = z.infer<typeof subAgentList>;
