import * as z from 'zod';
import { LIMIT_SOURCES, PRESSURE_STATES } from '../accounting/types';
import { LIVENESSES } from '../identity/liveness';

export const limitSource = z.enum(LIMIT_SOURCES);

export const usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheCreation: z.number(),
});
export const totals = usage.extend({ calls: z.number() });
/** The cumulative lens: counted main-scope turns only. */
export const cumulative = usage.omit({ cacheCreation: true });

export const boundaryKind = z.enum(['restart', 'compaction', 'clear']);

export const nextBoundary = z.object({
  kind: z.enum(['compaction', 'restart', 'limit']),
  at: z.number(),
  left: z.number(),
  passed: z.boolean(),
  /** Turns and minutes left: the medians of the forecast. Null while it is too early for a forecast. */
  turns: z.number().nullable(),
  minutes: z.number().nullable(),
  source: z.enum(['client', 'runner', 'learned', 'rule', 'limit']),
});

/** The 10th percentile, the median and the 90th percentile. */
const forecastRange = z.object({ low: z.number(), mid: z.number(), high: z.number() });

const forecast = z.object({
  kind: nextBoundary.shape.kind,
  at: z.number(),
  turns: forecastRange.nullable(),
  /** Minutes of work left, without long pauses; null while unknown. */
  minutes: forecastRange.nullable(),
  /** early: too few turns; still: no growth; rough: the upper end of the range is over four times the lower end. */
  certainty: z.enum(['early', 'still', 'rough', 'fair']),
  /** Growth per turn that the forecast assumes, tokens. */
  tokensPerTurn: z.number().nullable(),
});

/**
 * The last hour for small charts: `[t, used, kind]`, t in seconds, used in tokens (null: unknown), kind 0 = turn,
 * 1 = compaction, 2 = restart, 3 = clear, with the value right after it. At most 60 points, oldest first.
 */
const recentTrace = z.array(z.tuple([z.number(), z.number().nullable(), z.number().int()]));

const stateBounds = z.object({
  elevated: z.number(),
  warning: z.number(),
  critical: z.number(),
  redlined: z.number(),
});

export const session = z.object({
  id: z.uuid(),
  key: z.string(),
  title: z.string().nullable(),
  project: z.string(),
  runner: z.string(),
  host: z.string().nullable(),
  folder: z.string().nullable(),
  branch: z.string().nullable(),
  model: z.string().nullable(),
  client: z.string().nullable(),
  clientVersion: z.string().nullable(),
  clientSessionIds: z.array(z.string()),
  limit: z.number().nullable(),
  limitSource,
  /** Day when the table of models was last checked; null: the limit has another source. */
  limitDate: z.string().nullable(),
  lens: z.enum(['cumulative', 'snapshot']),
  /** Share of the limit in use; 0 when untracked, null when unknown. */
  pressure: z.number().nullable(),
  state: z.enum(PRESSURE_STATES),
  /** Tokens in use by the session's lens; null when unknown. */
  used: z.number().nullable(),
  /** The last known value while `used` is unknown. */
  lastKnownUsed: z.number().nullable(),
  estimated: z.boolean(),
  /** False: sums are a lower bound, show them with ≥. */
  complete: z.boolean(),
  continuations: z.number(),
  compactions: z.number(),
  contextCount: z.number(),
  turnCount: z.number(),
  totals: z.object({ main: totals, side: totals, all: totals }),
  tokensUntilWarning: z.number().nullable(),
  tokensUntilRestart: z.number().nullable(),
  /** Share of the limit. Null: this session never restarts. */
  restartLine: z.number().nullable(),
  /** When the open context reached the restart line, and turns since then; null: not reached, or not recorded. */
  restartLinePassed: z.object({ at: z.iso.datetime(), turnsSince: z.number() }).nullable(),
  /** Bounds of its project's states; null: the defaults, 0.5, 0.75, 0.85 and 1. */
  bounds: stateBounds.nullable(),
  compactsAt: z.number().nullable(),
  /** The known compaction point of this client, if the session continued past it without a compaction. */
  compactionPassed: z.number().nullable(),
  nextBoundary: nextBoundary.nullable(),
  /** null: no boundary is known, or the last boundary is passed. */
  forecast: forecast.nullable(),
  /** Tokens of growth per minute and per turn over the last turns; null while unknown. */
  tokensPerMinute: z.number().nullable(),
  tokensPerTurn: z.number().nullable(),
  trouble: z
    .object({
      kind: z.enum(['thrash', 'cache_storm']),
      at: z.iso.datetime(),
      context: z.number(),
      turn: z.number(),
      sentence: z.string(),
    })
    .nullable(),
  /** A compaction in progress, until its end, the next turn, or five minutes after its last report. */
  compacting: z.object({ trigger: z.enum(['auto', 'manual']), at: z.iso.datetime() }).nullable(),
  archiveFailure: z.object({ at: z.iso.datetime(), reason: z.string().nullable() }).nullable(),
  trace: recentTrace,
  lastEvent: z.object({ kind: z.string(), at: z.iso.datetime(), label: z.string() }).nullable(),
  sources: z.array(z.enum(['transcript', 'sdk', 'hook', 'otlp'])),
  coverage: z.array(z.object({ topic: z.string(), seen: z.boolean(), note: z.string() })),
  previousId: z.uuid().nullable(),
  forkedFromId: z.uuid().nullable(),
  backfill: z.boolean(),
  recomputing: z.boolean(),
  startedAt: z.iso.datetime(),
  lastTurnAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  liveness: z.enum(LIVENESSES),
  /** The session's version at its newest composition; null: the runner sends no compositions. */
  compositionVersion: z.number().nullable(),
  /** The session's version at its newest change of notes; null: never changed. */
  notesVersion: z.number().nullable(),
  version: z.number(),
});
export type Session = z.infer<typeof session>;
export type NextBoundary = z.infer<typeof nextBoundary>;
export type Forecast = z.infer<typeof forecast>;
export type Trouble = NonNullable<Session['trouble']>;
export type Compacting = NonNullable<Session['compacting']>;
export type RecentTrace = z.infer<typeof recentTrace>;
export type Liveness = Session['liveness'];

export const context = z.object({
  chain: z.string(),
  index: z.number(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  endedBy: boundaryKind.nullable(),
  turnCount: z.number(),
  totals,
  peakOccupancy: z.number().nullable(),
  lastOccupancy: z.number().nullable(),
  firstOccupancy: z.number().nullable(),
  cumulative,
  limit: z.number().nullable(),
  complete: z.boolean(),
  tracked: z.boolean(),
});
export type Context = z.infer<typeof context>;

/** Fields that `turns` stores under the same name need no mapping in db/queries/turns.ts or csv.ts. */
export const turnRow = z.object({
  number: z.number(),
  chain: z.string(),
  context: z.number(),
  scope: z.enum(['main', 'side']),
  at: z.iso.datetime(),
  receivedAt: z.iso.datetime(),
  model: z.string().nullable(),
  usage: usage.nullable(),
  cumulative,
  contextTokens: z.number().nullable(),
  basis: z.enum(['total', 'input', 'estimate']).nullable(),
  limit: z.number().nullable(),
  limitSource,
  flags: z.array(z.string()),
  call: z.string().nullable(),
});
export type TurnRow = z.infer<typeof turnRow>;

/** The deleted session's public id. The server refuses later items with `session_deleted`. */
export const deletedSession = z.object({ deleted: z.uuid() });
