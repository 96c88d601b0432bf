import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { AlertNotice } from '../../../core/alerts/notice';
import type { DeadLetter } from '../../../core/api/alerts';
import { toJsonText } from '../../json-text';
import { notifyAlerts } from '../../notify-alerts';
import { isoText } from '../../tables';
import { transact } from '../../transact';
import { isLimited } from '../limit-reads';

const MOST_LETTERS = 200;

/** The newest messages that no further attempt will send. */
export async function listDeadLetters(
  sql: postgres.ISql,
): Promise<{ deliveries: DeadLetter[]; total: number }> {
  const [deliveries, total] = await Promise.all([
    sql<DeadLetter[]>`
      select d.id, json_build_object('id', c.id, 'name', c.name, 'kind', c.kind) as channel,
        ${sql.unsafe(isoText('d.created_at'))} as "createdAt", d.attempts, d.error, o.alerts, coalesce(o.text, '') as text
      from alert_deliveries d join alert_channels c on c.id = d.channel_id
      left join lateral (
        select count(*)::int as alerts, (array_agg(notice->>'text' order by id))[1] as text
        from alert_outbox where delivery_id = d.id
      ) o on true
      where d.state = 'dead' and ${!isLimited(sql)} order by d.created_at desc limit ${MOST_LETTERS}`,
    countDeadLetters(sql),
  ]);
  return { deliveries: [...deliveries], total };
}

export async function countDeadLetters(sql: postgres.ISql): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from alert_deliveries where state = 'dead' and ${!isLimited(sql)}`;
  return row?.total ?? 0;
}

/** @returns false for a message that is not a dead letter */
export async function retryDelivery(sql: postgres.Sql, id: string): Promise<boolean> {
  return transact(sql, async (tx) => {
    const rows = await tx`
      update alert_deliveries set state = 'waiting', attempts = 0, error = null, next_attempt_at = clock_timestamp()
      where id = ${id} and state = 'dead' returning 1`;
    if (rows.length > 0) await notifyAlerts(tx);
    return rows.length > 0;
  });
}

/** Put a test message into the outbox. @returns its id; null: the channel is unknown or off */
export async function addTestMessage(sql: postgres.Sql, channelId: string): Promise<string | null> {
  const at = new Date().toISOString();
  const alert = randomUUID();
  const notice: AlertNotice = {
    alert,
    change: 'test',
    severity: 'info',
    rule: { id: alert, name: 'Test message' },
    condition: 'test',
    text: 'This channel works.',
    firedAt: at,
    resolvedAt: at,
    resolvedBy: 'test',
    project: 'test',
    runner: 'test',
    session: null,
  };
  return transact(sql, async (tx) => {
    const [row] = await tx<{ id: string }[]>`
      insert into alert_deliveries (channel_id, next_attempt_at)
      select id, clock_timestamp() from alert_channels where id = ${channelId} and enabled and deleted_at is null
      returning id`;
    if (!row) return null;
    await tx`
      insert into alert_outbox (channel_id, alert_id, notice, not_before, delivery_id)
      values (${channelId}, ${alert}, ${toJsonText(notice)}::text::jsonb, clock_timestamp(), ${row.id})`;
    await notifyAlerts(tx);
    return row.id;
  });
}

export interface DeliveryState {
  id: string;
  state: 'waiting' | 'sent' | 'dead';
  error: string | null;
}

export async function readDelivery(sql: postgres.ISql, id: string): Promise<DeliveryState | null> {
  const [row] = await sql<DeliveryState[]>`select id, state, error from alert_deliveries where id = ${id}`;
  return row ?? null;
}
