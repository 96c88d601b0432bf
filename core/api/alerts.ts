/** Shapes of alerts, rules, channels and messages in the API. No shape contains a channel's secret. */
import * as z from 'zod';
import { CHANNEL_KINDS } from '../alerts/channel';
import { CHANNEL_KIND_NAMES, type ChannelKind, SEVERITIES } from '../alerts/names';
import { ruleDefinition } from '../alerts/rule';
import { cursor, limit, oneOf, strict, text } from './parameters';

export const alert = z.object({
  id: z.uuid(),
  rule: z.object({ id: z.uuid(), name: z.string() }),
  severity: z.enum(SEVERITIES),
  condition: z.string(),
  /** `pending`: the condition holds, but not as long as the rule demands. */
  phase: z.enum(['pending', 'firing', 'resolved']),
  text: z.string(),
  since: z.iso.datetime(),
  firedAt: z.iso.datetime().nullable(),
  resolvedAt: z.iso.datetime().nullable(),
  /** `cleared`, `retracted` (its event), `rule` (turned off or deleted) or `removed` (its session). */
  resolvedBy: z.string().nullable(),
  acknowledgedAt: z.iso.datetime().nullable(),
  acknowledgedBy: z.string().nullable(),
  /** Until then the session or the rule sends no messages. */
  mutedUntil: z.iso.datetime().nullable(),
  project: z.string(),
  runner: z.string(),
  session: z
    .object({ id: z.uuid(), title: z.string().nullable(), key: z.string(), model: z.string().nullable() })
    .nullable(),
  /** Kinds of the rule's channels that read this list: `browser`, `command`. */
  pulledBy: z.array(z.enum(['browser', 'command'])),
});
export type Alert = z.infer<typeof alert>;

export const alertList = z.object({
  alerts: z.array(alert),
  total: z.number(),
  nextCursor: z.string().nullable(),
});
export type AlertList = z.infer<typeof alertList>;

export const DEFAULT_ALERTS = 200;

export const listAlertsParameters = strict({
  phase: oneOf(['open', 'resolved'])
    .describe('`open`: pending or firing. Default: fired alerts of any phase')
    .optional(),
  session: z.uuid('must be the id of a session').describe('Id of a session').optional(),
  cursor,
  limit: limit(1_000, DEFAULT_ALERTS),
});
export type ListAlertsParameters = z.infer<typeof listAlertsParameters>;

export const alertRule = z.object({ id: z.uuid(), version: z.number(), definition: ruleDefinition });
export type StoredRule = z.infer<typeof alertRule>;
export const alertRuleList = z.object({ rules: z.array(alertRule) });

/** `version`: the one that was read. A newer version is kept, and the answer is 409. */
export const ruleChange = strict({ version: z.int(), definition: ruleDefinition });
export const deletedId = z.object({ deleted: z.uuid() });

const channelSettings = CHANNEL_KIND_NAMES.map((kind) =>
  strict({
    kind: z.literal(kind),
    name: text(100).min(1, 'must not be empty'),
    enabled: z.boolean().default(true),
    titles: z.boolean().default(true),
    perMinute: z.int().min(1).max(100_000).default(20),
    config: CHANNEL_KINDS[kind].config,
    /** Left out in a change: the stored secret stays. */
    secret: CHANNEL_KINDS[kind].secret.optional(),
  }),
);
export const channelDefinition = z.discriminatedUnion(
  'kind',
  channelSettings as [(typeof channelSettings)[number], ...typeof channelSettings],
);
export type ChannelDefinition = z.infer<typeof channelDefinition>;

export const alertChannel = z.object({
  id: z.uuid(),
  kind: z.enum(CHANNEL_KIND_NAMES),
  name: z.string(),
  enabled: z.boolean(),
  titles: z.boolean(),
  perMinute: z.number(),
  config: z.record(z.string(), z.unknown()),
  /** Names of the secrets that are stored. */
  secrets: z.array(z.string()),
  /** The newest message that was sent or failed. */
  last: z.object({ at: z.iso.datetime(), state: z.string(), error: z.string().nullable() }).nullable(),
  /** Messages that no further attempt will send. */
  dead: z.number(),
});
export type AlertChannel = z.infer<typeof alertChannel> & { kind: ChannelKind };
export const alertChannelList = z.object({ channels: z.array(alertChannel) });

const deadLetter = z.object({
  id: z.uuid(),
  channel: z.object({ id: z.uuid(), name: z.string(), kind: z.string() }),
  createdAt: z.iso.datetime(),
  attempts: z.number(),
  error: z.string().nullable(),
  alerts: z.number(),
  /** Text of the first alert. */
  text: z.string(),
});
export type DeadLetter = z.infer<typeof deadLetter>;
export const deadLetterList = z.object({ deliveries: z.array(deadLetter), total: z.number() });

/** Outcome of a test, or of a retry. `waiting`: the next attempt follows. */
export const deliveryState = z.object({
  id: z.uuid(),
  state: z.enum(['waiting', 'sent', 'dead']),
  error: z.string().nullable(),
});

export const muteChange = strict({
  /** Minutes from now; 0 ends the mute. */
  minutes: z.int().min(0).max(43_200, 'must be at most 30 days'),
});
export const mutedSession = z.object({ session: z.uuid(), mutedUntil: z.iso.datetime().nullable() });

export const rulePreview = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Sessions in the rule's scope that were active in this time, and how many of them were checked. */
  sessions: z.number(),
  checked: z.number(),
  fired: z.number(),
  /** Sessions with alerts. */
  firedIn: z.number(),
  /** At most 50 sessions, those with the most alerts first. */
  alerts: z.array(
    z.object({
      session: z.object({ id: z.uuid(), title: z.string().nullable(), key: z.string(), project: z.string() }),
      spans: z.array(
        z.object({
          firedAt: z.iso.datetime(),
          /** Null: the alert would still fire. */
          resolvedAt: z.iso.datetime().nullable(),
          text: z.string(),
        }),
      ),
      /** Pressure after each turn, `[time in seconds, share of the limit]`, thinned for a small chart. */
      trace: z.array(z.tuple([z.number(), z.number().nullable()])),
    }),
  ),
});
export type RulePreview = z.infer<typeof rulePreview>;
