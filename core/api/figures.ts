import * as z from 'zod';
import { boundaryKind, totals } from './session';

export const CROSSED_SHARES = [0.5, 0.8] as const;

export const figures = z.object({
  sessionId: z.uuid(),
  /** Null: the whole session. */
  context: z.number().nullable(),
  version: z.number(),
  /** All figures describe the main chain. */
  turns: z.number(),
  firstAt: z.iso.datetime().nullable(),
  lastAt: z.iso.datetime().nullable(),
  contexts: z.number(),
  restarts: z.number(),
  compactions: z.number(),
  clears: z.number(),
  /** The event that ended the context; null: the context is open, or these figures are for a whole session. */
  endedBy: boundaryKind.nullable(),
  limit: z.number().nullable(),
  /** Tokens by the session's lens, and their share of the limit at that time; null: never known. */
  peak: z.number().nullable(),
  peakPressure: z.number().nullable(),
  tokens: totals,
  cacheReadShare: z.number().nullable(),
  /** Input, output and cache writes over turns; null without turns. */
  newTokensPerTurn: z.number().nullable(),
  /** Turns and minutes from the first turn until this share of the limit was first reached; null: never reached. */
  crossings: z.array(
    z.object({
      share: z.number(),
      turns: z.number().nullable(),
      minutes: z.number().nullable(),
      /** True: off by a few turns at most, because the session is too long to be read turn by turn. */
      rough: z.boolean(),
    }),
  ),
  complete: z.boolean(),
});
export type Figures = z.infer<typeof figures>;
