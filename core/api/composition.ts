/** What a chain's context is made of, as the read API gives it. Counts only: no text of anybody. */
import { z } from 'zod';
import { composition as reported } from '../protocol/items';

export const composition = z.object({
  chain: z.string(),
  /** The context and the turn of the chain that it was reported with. */
  context: z.number(),
  turn: z.number(),
  at: z.iso.datetime(),
  /** Messages and tokens of each role, as the runner lists them. */
  roles: reported.shape.roles,
  /** What could be taken out, best first. */
  suggestions: reported.shape.suggestions,
  /** What a compression to a share of the limit would remove; null: not said. */
  compression: reported.shape.compression.unwrap().nullable(),
});
export type ChainComposition = z.infer<typeof composition>;

export const compositionList = z.object({ sessionId: z.uuid(), compositions: z.array(composition) });
export type CompositionList = z.infer<typeof compositionList>;
