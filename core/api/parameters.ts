/** Parameters of the read API as URL strings; pages parse their own URL with the same shapes. */
import * as z from 'zod';
import { PRESSURE_STATES } from '../accounting/types';
import { EVENT_KINDS, EVENT_SCOPES } from '../events/kinds';
import { LIVENESSES } from '../identity/liveness';
import { atMost } from '../protocol/fields';
import { findNear } from '../settings/find-nearest';

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

export const DEFAULT_LIMITS = { sessions: 100, turns: 200, events: 200 } as const;
export const DEFAULT_POINTS = 300;

const NUL = '\u0000';
export const text = (max: number) =>
  atMost(z.string(), max).refine((value) => !value.includes(NUL), 'must not contain a NUL character');
export const name = text(1_000).refine((value) => value !== '', 'must not be empty');

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** An object that refuses unknown fields by name: a mistyped filter would otherwise match everything. */
export function strict<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      if (known.length === 0) return 'is unknown: there are no parameters here';
      const near = findNear(issue.keys[0] ?? '', known);
      return near === null ? `is unknown. Known: ${known.join(', ')}.` : `is unknown. Did you mean ${near}?`;
    },
  });
}
export const noParameters = strict({});

/** Values of a parameter that may be repeated; one of them must match. */
export function anyOf<T extends z.ZodType>(value: T, max: number, description: string) {
  const asList = (given: unknown): unknown => (typeof given === 'string' ? [given] : given);
  const list = z.array(value).max(max, `may be given at most ${max} times`).describe(description);
  return z.preprocess(asList, list).optional();
}

/** A number in a URL: digits only. The OpenAPI document declares an integer. */
export function wholeNumber(min: number, max: number, meta: { description: string; default?: number }) {
  const reason = `must be a whole number from ${min} to ${max}`;
  const digits = (value: unknown): number =>
    typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  return z.preprocess(digits, z.int(reason).min(min, reason).max(max, reason).meta(meta));
}

const instantReason = 'must be a time in ISO 8601, or milliseconds since the epoch, before the year 9999';
/** One year below the latest time that all formats can write, so that a range may be rounded up. */
export const LATEST_MS = Date.UTC(9999, 0) - 1;
/** A day, optionally with a time. A time without a zone is UTC. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i;

/** NaN for an invalid instant. `Date.parse` would read "-1" as a day in 2001. */
function parseInstant(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const [, day, time = '00:00', zone = 'Z'] = ISO_8601.exec(text) ?? [];
  return day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`.toUpperCase());
}

export const instant = z
  .string()
  .max(40, instantReason)
  .transform(parseInstant)
  .refine((ms) => Number.isFinite(ms) && ms >= 0 && ms <= LATEST_MS, instantReason);

export const MAX_INT = 2_147_483_647;

export const span = {
  from: instant.describe('Not before: ISO 8601, or milliseconds since the epoch; inclusive').optional(),
  to: instant.describe('Not after: ISO 8601, or milliseconds since the epoch; inclusive').optional(),
};
export const isSpan = ({ from, to }: { from?: number | undefined; to?: number | undefined }): boolean =>
  from === undefined || to === undefined || from <= to;
export const notASpan = { path: ['from'], error: 'must not be after `to`' };

const chain = name.describe('Key of a chain that the session has: `main`, or that of a sub-agent');
export const project = anyOf(name, 100, 'Name of a project');
const lens = oneOf(['cumulative', 'snapshot', 'last-turn', 'cache-inflated'])
  .describe("Default: the session's own")
  .optional();
const order = (natural: string) => oneOf(['asc', 'desc']).describe(`Default ${natural}`).optional();
export const cursor = text(1_000).describe('`nextCursor` of the previous page').optional();
export const EXPORT_FORMATS = ['csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
const format = oneOf(EXPORT_FORMATS)
  .describe('Download all matches, or `limit` of them, as a CSV or JSON file')
  .optional();
export const limit = (max: number, fallback: number) =>
  wholeNumber(1, max, { description: 'Maximum number of entries per page', default: fallback }).optional();

const place = (description: string) => wholeNumber(0, MAX_INT, { description }).optional();

export const listSessionsParameters = strict({
  project,
  runner: anyOf(name, 100, 'Name of a runner'),
  model: anyOf(name, 100, 'Name of a model'),
  state: anyOf(oneOf(PRESSURE_STATES), 10, 'Pressure state'),
  liveness: anyOf(oneOf(LIVENESSES), 3, 'Liveness of the session'),
  clientSessionId: name.describe('Id that a client uses for the session').optional(),
  q: text(200)
    .describe(
      "Words in title, key, project, runner, host, folder, branch, model or a client's session id, case-insensitive",
    )
    .optional(),
  sort: oneOf(SESSION_SORTS).describe('Default `boundary`').optional(),
  order: order('depends on the sort: the most important entries come first'),
  cursor,
  limit: limit(500, DEFAULT_LIMITS.sessions),
});
export type ListSessionsParameters = z.infer<typeof listSessionsParameters>;

export const listContextsParameters = strict({ chain: chain.optional() });
export type ListContextsParameters = z.infer<typeof listContextsParameters>;

export const listTurnsParameters = strict({
  chain: chain.optional(),
  context: place('Number of a context of the chain; without `chain`, of `main`'),
  turn: place('Number of the first turn in the chain; without `chain`, in `main`'),
  counted: oneOf(['yes', 'no'])
    .describe(
      '`yes`: only rows that totals include; `no`: only rows that no total includes, such as separate readings',
    )
    .optional(),
  order: order('`asc`'),
  cursor,
  limit: limit(1_000, DEFAULT_LIMITS.turns),
  format,
});
export type ListTurnsParameters = z.infer<typeof listTurnsParameters>;

const eventFilters = {
  kind: anyOf(oneOf(EVENT_KINDS), EVENT_KINDS.length, 'Kind of event'),
  ...span,
  order: order('`desc`'),
  cursor,
  limit: limit(1_000, DEFAULT_LIMITS.events),
};

export const listSessionEventsParameters = strict({
  ...eventFilters,
  chain: chain.optional(),
  format,
}).refine(isSpan, notASpan);
export type ListSessionEventsParameters = z.infer<typeof listSessionEventsParameters>;

export const figuresParameters = strict({
  context: place('Number of a context of the main chain; default: the whole session'),
});

export const listEventsParameters = strict({
  ...eventFilters,
  project,
  scope: oneOf(EVENT_SCOPES).describe('`main`: of main chains; `side`: of sub-agents').optional(),
  q: text(200).describe("Words in the session's title, key or project, case-insensitive").optional(),
}).refine(isSpan, notASpan);
export type ListEventsParameters = z.infer<typeof listEventsParameters>;

export const seriesParameters = strict({
  lens,
  chain: chain.describe('Key of a chain that the session has; default `main`').optional(),
  ...span,
  points: wholeNumber(10, 2_000, {
    description: 'Maximum number of points',
    default: DEFAULT_POINTS,
  }).optional(),
}).refine(isSpan, notASpan);
export type SeriesParameters = z.infer<typeof seriesParameters>;

export const subAgentsParameters = strict({
  lens,
  ...span,
  points: wholeNumber(10, 300, {
    description: 'Maximum number of points per sub-agent',
    default: 60,
  }).optional(),
  limit: limit(100, 24),
}).refine(isSpan, notASpan);
export type SubAgentsParameters = z.infer<typeof subAgentsParameters>;
