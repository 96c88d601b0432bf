/** Rules and channels for tests. */
import type postgres from 'postgres';
import { CHANNEL_KINDS } from '../../../core/alerts/channel';
import type { ChannelKind } from '../../../core/alerts/names';
import { type AlertCondition, ruleDefinition } from '../../../core/alerts/rule';
import { forgetRules } from '../rule-book';

export async function makeChannel(
  sql: postgres.Sql,
  kind: ChannelKind,
  config: object,
  secret: object = {},
  more: { titles?: boolean; perMinute?: number } = {},
): Promise<string> {
  const { titles = true, perMinute = 20 } = more;
  const shapes = CHANNEL_KINDS[kind];
  const [row] = await sql<{ id: string }[]>`
    insert into alert_channels (name, kind, config, secret, titles, per_minute)
    values (${kind}, ${kind}, ${sql.json(shapes.config.parse(config))}, ${sql.json(shapes.secret.parse(secret))},
      ${titles}, ${perMinute})
    returning id`;
  forgetRules(sql);
  return row?.id ?? '';
}

export async function makeRule(
  sql: postgres.Sql,
  condition: AlertCondition,
  more: Partial<Parameters<typeof ruleDefinition.parse>[0] & object> = {},
): Promise<string> {
  const definition = ruleDefinition.parse({
    name: `rule ${condition.kind}`,
    enabled: true,
    severity: 'warning',
    condition,
    ...more,
  });
  const [row] = await sql<{ id: string }[]>`
    insert into alert_rules (definition) values (${sql.json(definition)}) returning id`;
  forgetRules(sql);
  return row?.id ?? '';
}
