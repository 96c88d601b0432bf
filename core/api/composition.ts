import * as z from 'zod';
import { composition as reported } from '../protocol/items';

const composition = z.object({
  chain: z.string(),
  context: z.number(),
  turn: z.number(),
  at: z.iso.datetime(),
  roles: reported.shape.roles,
  suggestions: reported.shape.suggestions,
  /** What a compression to a share of the limit would remove; null: unknown. */
  compression: reported.shape.compression.unwrap().nullable(),
});
export type ChainComposition = z.infer<typeof composition>;

export const compositionList = z.object({ sessionId: z.uuid(), compositions: z.array(composition) });
export type CompositionList = z.infer<typeof compositionList>;
