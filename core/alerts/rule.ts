/** Shapes of alert rules. Durations are seconds or minutes as named; shares are fractions of the limit. */
import * as z from 'zod';
import { oneOf, strict, text } from '../api/parameters';
import { COMMAND_ACTIONS } from '../protocol/commands';
import { isTimeZone } from '../time/zone-offset';
import { SEVERITIES } from './names';

const whole = (min: number, max: number) => {
  const reason = `must be a whole number from ${min} to ${max}`;
  return z.int(reason).min(min, reason).max(max, reason);
};
const share = z.number().min(0.01, 'must be at least 0.01').max(5, 'must be at most 5');
const minutes = whole(1, 7 * 24 * 60);

const of = <const K extends string, T extends z.ZodRawShape>(kind: K, shape: T) =>
  strict({ kind: z.literal(kind), ...shape });

/** `clear`: the bound below (pressure) or above (forecast) which the condition ends. Default: the line itself. */
const alertCondition = z
  .discriminatedUnion('kind', [
    of('pressure', { atLeast: share, clear: share.optional() }),
    of('forecast', {
      unit: oneOf(['minutes', 'turns']),
      within: z.number().min(1, 'must be at least 1').max(1_000, 'must be at most 1000'),
      /** End of the 80 % range that is compared: `low` alerts early, `high` only when the boundary is near for sure. */
      end: oneOf(['low', 'mid', 'high']),
      clear: z.number().min(1).max(2_000).optional(),
    }),
    of('over_limit', {}),
    of('compaction', { state: oneOf(['announced', 'done', 'blocked']) }),
    of('restart', {}),
    of('thrash', {}),
    of('cache_storm', {}),
    of('archive_failed', {}),
    of('tracking_lost', {}),
    of('silent', { minutes }),
    of('runner_disconnected', { minutes }),
    /** The queue has had at least this many items, and more than at the report before. */
    of('runner_queue', { items: whole(1, 10_000_000) }),
  ])
  .refine((condition) => condition.kind !== 'pressure' || (condition.clear ?? 0) <= condition.atLeast, {
    path: ['clear'],
    error: 'must not be above the line',
  })
  .refine((condition) => condition.kind !== 'forecast' || (condition.clear ?? 1e6) >= condition.within, {
    path: ['clear'],
    error: 'must not be below `within`',
  });
export type AlertCondition = z.infer<typeof alertCondition>;

/** Patterns, case-insensitive, with `*` for any characters. An empty list matches everything. */
const patterns = z.array(text(200)).max(50, 'must have at most 50 patterns').default([]);

const alertScope = strict({
  project: patterns,
  runner: patterns,
  model: patterns,
  title: patterns,
  branch: patterns,
});
export type AlertScope = z.infer<typeof alertScope>;

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, as in 22:00');

/** Messages wait until the end of the quiet hours. `from` after `to` crosses midnight. `days`: 0 is Sunday. */
const quietHours = strict({
  zone: text(60).refine(isTimeZone, 'must be a time zone, as in Europe/Berlin'),
  from: clockTime,
  to: clockTime,
  days: z.array(z.int().min(0).max(6)).max(7).default([0, 1, 2, 3, 4, 5, 6]),
});
export type QuietHours = z.infer<typeof quietHours>;

/** A command that the session's runner gets when an alert fires, if it can carry it out. `text`: the message of `say`. */
const ruleAction = strict({
  command: oneOf(COMMAND_ACTIONS),
  text: text(10_000).trim().min(1, 'must not be empty').nullable().default(null),
}).refine(({ command, text: said }) => (command === 'say') === (said !== null), {
  path: ['text'],
  error: 'is required for the command say, and only for it',
});

export const ruleDefinition = strict({
  name: text(100)
    .trim()
    .refine((value) => value !== '', 'must not be empty'),
  enabled: z.boolean(),
  severity: oneOf(SEVERITIES),
  condition: alertCondition,
  scope: alertScope.default({ project: [], runner: [], model: [], title: [], branch: [] }),
  /** The condition must hold this long before the alert fires. */
  forSeconds: whole(0, 86_400).default(0),
  /** The condition must be over this long before the alert resolves. An alert of an event resolves after this time. */
  resolveSeconds: whole(0, 86_400).default(0),
  /** Send the alert again while it fires and is not acknowledged. Null: never. */
  repeatMinutes: minutes.nullable().default(null),
  /** Send alerts of the same rule or project in one message, after this time. Null: one message per alert. */
  group: strict({ by: oneOf(['rule', 'project']), seconds: whole(1, 3_600) })
    .nullable()
    .default(null),
  quiet: quietHours.nullable().default(null),
  channels: z.array(z.uuid()).max(20).default([]),
  /** Null: the rule only alerts. */
  action: ruleAction.nullable().default(null),
  /** No messages until then. The alerts still show on the pages. */
  mutedUntil: z.iso.datetime({ offset: true }).nullable().default(null),
}).refine(({ condition, action }) => action === null || !condition.kind.startsWith('runner_'), {
  path: ['action'],
  error: 'must be null for a condition of a runner, because a command needs a session',
});
export type RuleDefinition = z.infer<typeof ruleDefinition>;

export interface AlertRule extends RuleDefinition {
  id: string;
}
