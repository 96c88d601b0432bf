import * as z from 'zod';

/**
 * A turn, or a bucket of turns. `t`: running maximum of the times, milliseconds. `n` and `context`: number and context
 * of the last turn. `used`: tokens by the lens after the last turn; null is a gap, never zero.
 */
export const seriesPoint = z.object({
  t: z.number(),
  n: z.number(),
  context: z.number(),
  used: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  limit: z.number().nullable(),
  turns: z.number(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheCreation: z.number(),
  cumulativeInput: z.number(),
  cumulativeOutput: z.number(),
  cumulativeCacheRead: z.number(),
  /** Sums of the chain up to this point, across boundaries. Null in a series of sampled turns. */
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
  version: z.number(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  turnCount: z.number(),
  thinned: z.boolean(),
  points: z.array(seriesPoint),
});
export type Series = z.infer<typeof series>;

const subAgent = z.object({
  chain: z.string(),
  turnCount: z.number(),
  /** Chart times of its first and last turn, milliseconds. */
  firstAt: z.number(),
  lastAt: z.number(),
  points: z.array(seriesPoint.pick({ t: true, n: true, context: true, used: true, limit: true })),
});
export type SubAgent = z.infer<typeof subAgent>;

export const subAgentList = z.object({
  sessionId: z.uuid(),
  lens: series.shape.lens,
  version: z.number(),
  /** Sub-agents active in the range; the list holds the latest of them. */
  total: z.number(),
  agents: z.array(subAgent),
});
export type SubAgentList = z.infer<typeof subAgentList>;
