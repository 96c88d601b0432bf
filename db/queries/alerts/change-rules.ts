/** Rules and channels of alerts. A change takes effect within two seconds in every process. */
import type postgres from 'postgres';
import type { RuleDefinition } from '../../../core/alerts/rule';
import type { AlertChannel, ChannelDefinition, StoredRule } from '../../../core/api/alerts';
import { forgetRules } from '../../alerts/rule-book';
import { toJsonText } from '../../json-text';
import { notifyAlerts } from '../../notify-alerts';
import { isoText } from '../../tables';
import { transact } from '../../transact';
import { recordAudit } from '../../transcripts/record-audit';
import { isLimited } from '../limit-reads';

export async function listRules(sql: postgres.ISql): Promise<StoredRule[]> {
  return sql<StoredRule[]>`
    select id, version, definition from alert_rules
    where deleted_at is null and ${!isLimited(sql)} order by created_at, id`;
}

type RuleResult = { type: 'stored'; rule: StoredRule } | { type: 'unknown' } | { type: 'outdated' };

/** @param change null: a new rule */
export async function saveRule(
  sql: postgres.Sql,
  definition: RuleDefinition,
  change: { id: string; version: number } | null,
  actor: string,
): Promise<RuleResult> {
  const result = await transact(sql, async (tx): Promise<RuleResult> => {
    const json = toJsonText(definition);
    const [row] =
      change === null
        ? await tx<StoredRule[]>`
            insert into alert_rules (definition) values (${json}::text::jsonb) returning id, version, definition`
        : await tx<StoredRule[]>`
            update alert_rules set definition = ${json}::text::jsonb, version = version + 1
            where id = ${change.id} and version = ${change.version} and deleted_at is null
            returning id, version, definition`;
    if (!row) {
      const known =
        await tx`select 1 from alert_rules where id = ${change?.id ?? null} and deleted_at is null`;
      return { type: known.length > 0 ? 'outdated' : 'unknown' };
    }
    await audit(tx, actor, { rule: definition.name, enabled: definition.enabled });
    return { type: 'stored', rule: row };
  });
  forgetRules(sql);
  return result;
}

/** @returns false for an unknown rule */
export async function deleteRule(sql: postgres.Sql, id: string, actor: string): Promise<boolean> {
  const isDeleted = await transact(sql, async (tx) => {
    const [row] = await tx<{ name: string }[]>`
      update alert_rules set deleted_at = clock_timestamp() where id = ${id} and deleted_at is null
      returning definition->>'name' as name`;
    if (row) await audit(tx, actor, { rule: row.name, deleted: true });
    return row !== undefined;
  });
  forgetRules(sql);
  return isDeleted;
}

async function audit(
  tx: postgres.TransactionSql,
  actor: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await recordAudit(tx, { actor, action: 'alerts_changed', detail });
  await notifyAlerts(tx);
}

/** Names of the secrets, without their values. */
const SECRETS = `array(select key from jsonb_each_text(c.secret) where value <> '' order by key)`;

export async function listChannels(sql: postgres.ISql): Promise<AlertChannel[]> {
  return sql<AlertChannel[]>`
    select c.id, c.kind, c.name, c.enabled, c.titles, c.per_minute as "perMinute", c.config,
      ${sql.unsafe(SECRETS)} as secrets,
      (select json_build_object('at', ${sql.unsafe(isoText('coalesce(d.sent_at, d.created_at)'))}, 'state', d.state,
          'error', d.error)
        from alert_deliveries d where d.channel_id = c.id order by d.created_at desc limit 1) as last,
      (select count(*)::int from alert_deliveries d where d.channel_id = c.id and d.state = 'dead') as dead
    from alert_channels c where c.deleted_at is null and ${!isLimited(sql)} order by c.created_at, c.id`;
}

/** @param id null: a new channel @returns null for an unknown channel, or one of another kind */
export async function saveChannel(
  sql: postgres.Sql,
  { kind, name, enabled, titles, perMinute, config, secret }: ChannelDefinition,
  id: string | null,
  actor: string,
): Promise<AlertChannel | null> {
  const stored = await transact(sql, async (tx) => {
    const given = secret === undefined ? null : toJsonText(secret);
    const [row] =
      id === null
        ? await tx<{ id: string }[]>`
            insert into alert_channels (kind, name, enabled, titles, per_minute, config, secret)
            values (${kind}, ${name}, ${enabled}, ${titles}, ${perMinute}, ${toJsonText(config)}::text::jsonb,
              coalesce(${given}::text::jsonb, '{}'))
            returning id`
        : await tx<{ id: string }[]>`
            update alert_channels set name = ${name}, enabled = ${enabled}, titles = ${titles},
              per_minute = ${perMinute}, config = ${toJsonText(config)}::text::jsonb,
              secret = coalesce(${given}::text::jsonb, secret)
            where id = ${id} and kind = ${kind} and deleted_at is null returning id`;
    if (!row) return null;
    await audit(tx, actor, { channel: name, kind, enabled });
    return (await listChannels(tx)).find((channel) => channel.id === row.id) ?? null;
  });
  forgetRules(sql);
  return stored;
}

/** Also drops the channel's settings and waiting messages. @returns false for an unknown channel */
export async function deleteChannel(sql: postgres.Sql, id: string, actor: string): Promise<boolean> {
  const isDeleted = await transact(sql, async (tx) => {
    const [row] = await tx<{ name: string }[]>`
      update alert_channels set deleted_at = clock_timestamp(), config = '{}', secret = '{}', enabled = false
      where id = ${id} and deleted_at is null returning name`;
    if (!row) return false;
    await tx`delete from alert_outbox where channel_id = ${id}`;
    await tx`delete from alert_deliveries where channel_id = ${id}`;
    await tx`
      update alert_rules set version = version + 1,
        definition = jsonb_set(definition, '{channels}', (definition->'channels') - ${id}::text)
      where definition->'channels' ? ${id}::text`;
    await audit(tx, actor, { channel: row.name, deleted: true });
    return true;
  });
  forgetRules(sql);
  return isDeleted;
}
