/** The sub-agents of a session as thin traces: each with the points of its own chain. */
import { z } from 'zod';
import { series, seriesPoint } from './series';

export const subAgent = z.object({
  /** Key of its chain. */
  chain: z.string(),
  /** Counted turns of the whole chain. */
  turnCount: z.number(),
  /** Chart times of its first and last turn, milliseconds. */
  firstAt: z.number(),
  lastAt: z.number(),
  /** In the range, thinned; `n` counts the turns of this chain. */
  points: z.array(seriesPoint.pick({ t: true, n: true, context: true, used: true, limit: true })),
});
export type SubAgent = z.infer<typeof subAgent>;

export const subAgentList = z.object({
  sessionId: z.uuid(),
  lens: series.shape.lens,
  /** The session's version they were read at. */
  version: z.number(),
  /** Sub-agents at work in the range; the list holds the last of them. */
  total: z.number(),
  /** In the order of their first turns. */
  agents: z.array(subAgent),
});
export type SubAgentList = z.infer<typeof subAgentList>;
