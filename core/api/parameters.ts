/**
 * Parameters of the read API, as they stand in a URL: strings, some of them repeated. Pages parse their own
 * URL with the same shapes, so a link and a request mean the same.
 */
import { z } from 'zod';
import { EVENT_KINDS, liveness, pressureState } from './session';

/** How a list of sessions may be sorted; each has its natural direction (see `order`). */
export const SESSION_SORTS = [
  'boundary',
  'pressure',
  'rate',
  'lastTurn',
  'startedAt',
  'continuations',
  'used',
] as const;
export type SessionSort = (typeof SESSION_SORTS)[number];

const NUL = '\u0000';
/** Postgres text cannot hold NUL: nothing has such a name. */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes(NUL), 'must not contain a NUL character');
const name = text(1_000).refine((value) => value !== '', 'must not be empty');
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be a whole number from ${min} to ${max}`);

const instantReason = 'must be a time in ISO 8601, or milliseconds since the epoch';
const LATEST_MS = 253_402_300_799_999;
/** A day, or a time of it; without a zone a time is UTC, whatever the zone of this machine. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i;

/** NaN where it is no instant. `Date.parse` alone would take "-1" for a day in 2001. */
function parseInstant(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const [, day, time = '00:00', zone = 'Z'] = ISO_8601.exec(text) ?? [];
  return day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`.toUpperCase());
}

/** Milliseconds since the epoch. */
const instant = z
  .string()
  .max(40)
  .transform(parseInstant)
  .refine((ms) => Number.isFinite(ms) && ms >= 0 && ms <= LATEST_MS, instantReason);

const cursor = text(1_000);
/** `asc` or `desc`; without it the direction that puts what matters first. */
const order = z.enum(['asc', 'desc']);

export const listSessionsParameters = z.strictObject({
  project: z.array(name).max(100).optional(),
  runner: z.array(name).max(100).optional(),
  model: z.array(name).max(100).optional(),
  state: z.array(pressureState).max(10).optional(),
  liveness: z.array(liveness).max(3).optional(),
  /** An id under which a client knows the session. */
  clientSessionId: name.optional(),
  /** Text in title, key, project, runner, host, folder, branch, model or a client's session id. */
  q: text(200).optional(),
  sort: z.enum(SESSION_SORTS).optional(),
  order: order.optional(),
  cursor: cursor.optional(),
  limit: wholeNumber(1, 500).optional(),
});
export type ListSessionsParameters = z.infer<typeof listSessionsParameters>;

export const listContextsParameters = z.strictObject({
  chain: name.optional(),
});
export type ListContextsParameters = z.infer<typeof listContextsParameters>;

export const listTurnsParameters = z.strictObject({
  chain: name.optional(),
  /** Number of a context; together with `chain` (default `main`). */
  context: wholeNumber(0, 2_147_483_647).optional(),
  order: order.optional(),
  cursor: cursor.optional(),
  limit: wholeNumber(1, 1_000).optional(),
});
export type ListTurnsParameters = z.infer<typeof listTurnsParameters>;

export const listSessionEventsParameters = z.strictObject({
  kind: z.array(z.enum(EVENT_KINDS)).max(EVENT_KINDS.length).optional(),
  chain: name.optional(),
  from: instant.optional(),
  to: instant.optional(),
  order: order.optional(),
  cursor: cursor.optional(),
  limit: wholeNumber(1, 1_000).optional(),
});
export type ListSessionEventsParameters = z.infer<typeof listSessionEventsParameters>;

export const listEventsParameters = z.strictObject({
  ...listSessionEventsParameters.omit({ chain: true }).shape,
  project: z.array(name).max(100).optional(),
});
export type ListEventsParameters = z.infer<typeof listEventsParameters>;

export const seriesParameters = z.strictObject({
  /** Default: the session's own lens. */
  lens: z.enum(['cumulative', 'snapshot', 'last-turn', 'cache-inflated']).optional(),
  /** Default `main`. */
  chain: name.optional(),
  from: instant.optional(),
  to: instant.optional(),
  /** At most this many points; default 300. */
  points: wholeNumber(10, 2_000).optional(),
});
export type SeriesParameters = z.infer<typeof seriesParameters>;
