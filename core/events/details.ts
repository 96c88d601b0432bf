/** The detail of each event kind, for the fold and the read API. Pages import only the types. */
import * as z from 'zod';
import { LIMIT_SOURCES, PRESSURE_STATES } from '../accounting/types';
import { COMMAND_ACTIONS } from '../protocol/commands';
import { GAP_BOUNDS } from '../protocol/items';

const trigger = z.enum(['auto', 'manual']);
const tokens = z.number().nullable();
const state = z.enum(PRESSURE_STATES);

/** Tokens in use by the session's lens, when a boundary ended the context. */
const before = {
  usedBefore: tokens,
  limit: tokens,
  contextBefore: z.number(),
};

const archiveFacts = {
  archive: z.string().optional(),
  /** `hook`: the file when the hook fired. `completed`: read again up to the compaction's own line. */
  version: z.enum(['hook', 'completed']).optional(),
  reason: z.string().optional(),
  path: z.string().optional(),
  bytes: z.number().optional(),
  lines: z.number().optional(),
  sha256: z.string().optional(),
};
const archive = z.object({ trigger: trigger.optional(), ...archiveFacts });

export const EVENT_DETAILS = {
  session_started: z.object({ reason: z.enum(['startup', 'resumed', 'clear', 'fork']) }),
  session_ended: z.object({ reason: z.string().nullable() }),
  state_changed: z.object({ from: state, to: state, pressure: z.number() }),
  approaching_redline: z.object({ pressure: z.number() }),
  redlined: z.object({ used: tokens, limit: tokens }),
  window_changed: z.object({
    from: z.number(),
    fromSource: z.enum(LIMIT_SOURCES),
    to: z.number(),
    source: z.enum(LIMIT_SOURCES),
    model: z.string().nullable(),
  }),
  restart: z.object({
    continuation: z.number(),
    reason: z.string().nullable(),
    pressure: z.number().nullable(),
    checkpoint: z.string().optional(),
    prompt: z.string().optional(),
    ...before,
    contextAfter: z.number(),
  }),
  compaction: z.object({
    trigger,
    /** Only `confirmed` ends the context. */
    state: z.enum(['pending', 'confirmed', 'blocked', 'failed']),
    reason: z.string().optional(),
    /** The client's own counts. */
    preTokens: z.number().optional(),
    postTokens: z.number().optional(),
    durationMs: z.number().optional(),
    boundary: z.string().optional(),
    ...before,
    contextAfter: z.number().optional(),
    lastReading: tokens,
    firstReading: z.number().optional(),
    firstReadingEstimated: z.boolean().optional(),
    /** The archived transcript, and the ids of all archives reported for this compaction. */
    archive: z.object({ state: z.enum(['stored', 'skipped', 'failed']), ...archiveFacts }).optional(),
    archives: z.array(z.string()).readonly().optional(),
  }),
  context_cleared: z.object({ tokensCleared: tokens, ...before, contextAfter: z.number() }),
  context_compressed: z.object({
    before: z.number(),
    after: z.number(),
    removed: z.number().optional(),
  }),
  tracking_disabled: z.object({}),
  tracking_enabled: z.object({}),
  archive_stored: archive,
  archive_skipped: archive,
  archive_failed: archive,
  archive_damaged: archive,
  /** `was`: the reason for the damage. */
  archive_healed: archive.extend({ was: z.string().nullable() }),
  /** `bound`: absent if `count` is exact. */
  turns_dropped: z.object({
    from: tokens,
    to: tokens,
    count: z.number(),
    bound: z.enum(GAP_BOUNDS).optional(),
    reason: z.string().nullable(),
  }),
  command: z.object({
    command: z.string(),
    action: z.enum(COMMAND_ACTIONS),
    state: z.enum(['done', 'refused']),
    reason: z.string().nullable(),
  }),
  thrash: z.discriminatedUnion('form', [
    z.object({ form: z.enum(['refill', 'in_a_row']), turns: z.number(), inARow: z.number() }),
    z.object({ form: z.literal('restart_full'), used: z.number(), limit: z.number(), line: z.number() }),
  ]),
  cache_storm: z.object({
    /** Share of the prompt from the cache: usually, and in the latest call. */
    usualShare: z.number(),
    share: z.number(),
    missed: z.number(),
    of: z.number(),
    tokens: z.number(),
  }),
} as const;

export type EventKind = keyof typeof EVENT_DETAILS;
export type EventDetail<K extends EventKind = EventKind> = z.infer<(typeof EVENT_DETAILS)[K]>;
export type EventData<K extends EventKind = EventKind> = {
  [P in K]: { kind: P; detail: EventDetail<P> };
}[K];
