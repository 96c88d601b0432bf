/** The inputs from which each figure of a session can be calculated again. */
import * as z from 'zod';
import { boundaryKind, cumulative, limitSource, nextBoundary, session, totals, usage } from './session';

const place = z.object({ number: z.number(), at: z.iso.datetime() });
/** A range extends from the middle divided by `low` to the middle multiplied by `high`. */
const factors = z.object({ low: z.number(), high: z.number() });

export const evidence = z.object({
  session,
  /** Bounds of the states and the project's restart line, shares of the limit. */
  thresholds: z.object({
    elevated: z.number(),
    warning: z.number(),
    critical: z.number(),
    redlined: z.number(),
    restartLine: z.number(),
  }),
  restartLineBy: z.enum(['session', 'project']),
  context: z.object({
    index: z.number(),
    startedBy: boundaryKind.nullable(),
    startedAt: z.iso.datetime().nullable(),
    /** Counted main-scope turns, which the cumulative lens sums. */
    mainTurns: z.number(),
    turnCount: z.number(),
    cumulative,
    totals,
    firstOccupancy: z.number().nullable(),
    peakOccupancy: z.number().nullable(),
    tracked: z.boolean(),
  }),
  boundaries: z.object({ restarts: z.number(), compactions: z.number(), clears: z.number() }),
  reading: z
    .object({
      tokens: z.number(),
      /** total: input and output; input: without the output; estimate: counted in characters. */
      basis: z.enum(['total', 'input', 'estimate']),
      turn: place.nullable(),
    })
    .nullable(),
  limit: z.object({
    tokens: z.number().nullable(),
    source: limitSource,
    /** The limit applies from this time on. */
    at: z.iso.datetime().nullable(),
    model: z.string().nullable(),
    /** The reading that proved a learned limit. */
    proof: z.object({ tokens: z.number(), at: z.iso.datetime() }).nullable(),
    table: z
      .object({ models: z.string(), tokens: z.number(), source: z.string(), date: z.string() })
      .nullable(),
  }),
  compaction: z
    .object({
      tokens: z.number(),
      source: z.enum(['client', 'learned', 'rule']),
      /** The session continued past the point without a compaction. */
      passed: z.boolean(),
      /** Tokens at past compactions, newest last. */
      seen: z.array(z.number()),
    })
    .nullable(),
  /** Inputs of the burn rate. Null: too few turns for a rate. */
  rate: z
    .object({
      turns: z.number(),
      /** Tokens of the counted turns, and their number. */
      tokens: z.number(),
      counted: z.number(),
      /** The smallest and the largest growth, both excluded from the mean. Null: too few turns to exclude any. */
      leftOut: z.tuple([z.number(), z.number()]).readonly().nullable(),
      /** Minutes of work of all turns; a pause counts as `longestPause` at most. */
      minutes: z.number(),
      longestPause: z.number(),
      /** Number of longer pauses. */
      shortened: z.number(),
    })
    .nullable(),
  countdown: z
    .object({
      kind: nextBoundary.shape.kind,
      at: z.number(),
      left: z.number(),
      tokensPerTurn: z.number(),
      /** Turns added to the forecast, because with uneven growth a point is reached later on average. */
      overshoot: z.number(),
      factors,
      /** Minutes of work per turn, and the factors of the range in minutes; null: the pace is unknown. */
      pace: z.object({ minutesPerTurn: z.number(), factors }).nullable(),
    })
    .nullable(),
  /** The last main-scope turn with usage of the open context, which the one-turn lenses read. */
  lastTurn: place.extend({ ...usage.shape, limit: z.number().nullable() }).nullable(),
  newestTurn: place.nullable(),
  peakTurn: place.nullable(),
});
export type Evidence = z.infer<typeof evidence>;
export type FoldEvidence = Omit<Evidence, 'session' | 'reading' | 'lastTurn' | 'newestTurn' | 'peakTurn'> & {
  reading: Omit<NonNullable<Evidence['reading']>, 'turn'> | null;
};
