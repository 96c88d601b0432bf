import * as z from 'zod';
import { HISTORY_GROUPINGS } from '../history/groupings';
import { LONGEST_RANGE_MS, SLOT_NAMES } from '../history/slots';
import { isTimeZone } from '../time/zone-offset';
import {
  anyOf,
  EXPORT_FORMATS,
  instant,
  isSpan,
  name,
  notASpan,
  oneOf,
  project,
  strict,
  wholeNumber,
} from './parameters';

/** Activity in a range of time. Sums include calls of sub-agents. Only boundaries of main chains are counted. */
export const historyFigures = z.object({
  turns: z.number(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheCreation: z.number(),
  cacheShare: z.number().nullable(),
  restarts: z.number(),
  compactions: z.number(),
  thrashes: z.number(),
  cacheStorms: z.number(),
  peak: z.number().nullable(),
});
export type HistoryFigures = z.infer<typeof historyFigures>;

/** A bucket with activity or a live session. Other buckets are left out. */
const historyPoint = historyFigures.extend({ from: z.iso.datetime(), to: z.iso.datetime() });
export type HistoryPoint = z.infer<typeof historyPoint>;

const historyGroup = z.object({
  /** Name of the project, runner or model; null: the model is unknown. */
  name: z.string().nullable(),
  project: z.string().nullable(),
  total: historyFigures,
  /** null: the `groups` parameter excluded the points of this group. */
  points: z.array(historyPoint).nullable(),
});
export type HistoryGroup = z.infer<typeof historyGroup>;

export const historyBody = z.object({
  /** The range, extended to whole buckets. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  zone: z.string(),
  bucket: z.enum(SLOT_NAMES),
  by: z.enum(HISTORY_GROUPINGS).nullable(),
  total: historyFigures,
  points: z.array(historyPoint),
  /** Groups with the most turns first; empty without `by`. */
  groups: z.array(historyGroup),
});
export type History = z.infer<typeof historyBody>;

/** How old an answer is: the delay of the replica that was read, milliseconds; null: the primary was read. */
export const delay = z.object({ behindMs: z.number().nullable() });
export type Delayed<T> = T & z.infer<typeof delay>;

export const historySession = z.object({
  id: z.uuid(),
  key: z.string(),
  title: z.string().nullable(),
  project: z.string(),
  runner: z.string(),
  model: z.string().nullable(),
  figures: historyFigures,
  /** The most relevant event in the range: the last thrash, else the last cache storm, else the last boundary. */
  mark: z
    .object({
      event: z.string(),
      kind: z.enum(['thrash', 'cache_storm', 'compaction', 'restart']),
      at: z.iso.datetime(),
      sentence: z.string().nullable(),
    })
    .nullable(),
});
export type HistorySession = z.infer<typeof historySession>;

export const historySessionList = z.object({
  sessions: z.array(historySession),
  total: z.number(),
});
export type HistorySessionList = z.infer<typeof historySessionList>;

const HISTORY_SESSION_SORTS = ['thrash', 'compactions', 'restarts'] as const;
export type HistorySessionSort = (typeof HISTORY_SESSION_SORTS)[number];

export const DEFAULT_GROUPS = 12;
export const DEFAULT_HISTORY_SESSIONS = 50;

const range = {
  from: instant
    .describe('Start: ISO 8601, or milliseconds since the epoch; default a day before `to`')
    .optional(),
  to: instant.describe('End, exclusive: ISO 8601, or milliseconds since the epoch; default now').optional(),
  project,
  runner: anyOf(name, 100, 'Name of a runner'),
  model: anyOf(name, 100, 'Name of a model'),
  format: oneOf(EXPORT_FORMATS).describe('Download the answer as a CSV or JSON file').optional(),
};

const isBearable = ({ from, to }: { from?: number | undefined; to?: number | undefined }): boolean =>
  from === undefined || to === undefined || to - from <= LONGEST_RANGE_MS;
const notBearable = { path: ['from'], error: 'must not be more than 4000 days before `to`' };

export const historyParameters = strict({
  ...range,
  bucket: oneOf(['auto', ...SLOT_NAMES])
    .describe('Length of a bucket; days and weeks follow `zone`. Default `auto`: at most about 370 buckets')
    .optional(),
  zone: z
    .string()
    .max(64, 'must be the name of a time zone, such as Europe/Berlin')
    .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
    .describe('Time zone of the buckets; default `UTC`')
    .optional(),
  by: oneOf(HISTORY_GROUPINGS).describe('Group the figures by this field').optional(),
  groups: wholeNumber(0, 1_000, {
    description: 'Number of groups with points; groups with the most turns come first',
    default: DEFAULT_GROUPS,
  }).optional(),
})
  .refine(isSpan, notASpan)
  .refine(isBearable, notBearable);
export type HistoryParameters = z.infer<typeof historyParameters>;

export const historySessionsParameters = strict({
  ...range,
  sort: oneOf(HISTORY_SESSION_SORTS).describe('Sort order; default `thrash`').optional(),
  limit: wholeNumber(1, 500, {
    description: 'Maximum number of sessions',
    default: DEFAULT_HISTORY_SESSIONS,
  }).optional(),
})
  .refine(isSpan, notASpan)
  .refine(isBearable, notBearable);
export type HistorySessionsParameters = z.infer<typeof historySessionsParameters>;
