/**
 * Messages to channels: formed from the outbox, claimed by one process at a time, sent at least once. A claim is a
 * lease, so the messages of a killed process are sent again, with the same id.
 */
import type postgres from 'postgres';
import type { OpenChannel } from '../../core/alerts/channel';
import type { AlertNotice } from '../../core/alerts/notice';
import { groupBy } from '../group-by';
import { toJsonText } from '../json-text';
import { notifyAlerts } from '../notify-alerts';
import { transact } from '../transact';

const MINUTE_MS = 60_000;
/** Alerts in one message; a larger storm continues in the next message. */
const MOST_NOTICES = 2_000;
/** PagerDuty accepts 120 events per minute and integration. */
const MOST_EVENTS = 100;

interface Waiting {
  id: number;
  groupKey: string | null;
}

interface ReadyChannel {
  id: string;
  kind: string;
  perMinute: number;
  minuteStart: Date | null;
  minuteCount: number;
}

/** Form messages of all channels that may send now. Skips channels that another process is forming messages for. */
export async function formDeliveries(sql: postgres.Sql, now: number): Promise<void> {
  await transact(sql, async (tx) => {
    const at = new Date(now);
    const channels = await tx<ReadyChannel[]>`
      select c.id, c.kind, c.per_minute as "perMinute", c.minute_start as "minuteStart", c.minute_count as "minuteCount"
      from alert_channels c
      where c.enabled and c.deleted_at is null and (c.held_until is null or c.held_until <= ${at}) and exists (
        select from alert_outbox o where o.channel_id = c.id and o.delivery_id is null and o.not_before <= ${at}
      )
      for update skip locked`;
    for (const channel of channels) await formMessages(tx, channel, now);
  });
}

async function formMessages(tx: postgres.ISql, channel: ReadyChannel, now: number): Promise<void> {
  const at = new Date(now);
  const rows = await tx<Waiting[]>`
    with waiting as (select * from alert_outbox where channel_id = ${channel.id} and delivery_id is null)
    select id, group_key as "groupKey" from waiting
    where not_before <= ${at} or group_key in (select group_key from waiting where not_before <= ${at})
    order by id limit ${channel.kind === 'pagerduty' ? MOST_EVENTS : MOST_NOTICES}`;
  const isSameMinute = channel.minuteStart !== null && now - channel.minuteStart.getTime() < MINUTE_MS;
  const used = isSameMinute ? channel.minuteCount : 0;
  const groups = [...groupBy(rows, ({ id, groupKey }) => groupKey ?? String(id)).values()];
  const isStorm = used + groups.length > channel.perMinute;
  const messages = isStorm ? [rows] : groups;
  const ids = messages.map((group) => group.map(({ id }) => id));
  await tx`
    with formed as (
      insert into alert_deliveries (channel_id, next_attempt_at)
      select ${channel.id}, ${at} from generate_series(1, ${messages.length}::int) returning id
    ), numbered as (select id, row_number() over () as n from formed),
    members as (
      select m.value::text::bigint as outbox_id, g.n
      from json_array_elements(${toJsonText(ids)}::text::json) with ordinality as g (ids, n),
        json_array_elements(g.ids) as m (value)
    )
    update alert_outbox o set delivery_id = f.id from members m join numbered f on f.n = m.n where o.id = m.outbox_id`;
  await tx`
    update alert_channels set minute_count = ${used + messages.length}, minute_start = ${
      isSameMinute ? channel.minuteStart : at
    }, held_until = ${isStorm ? new Date(now + MINUTE_MS) : null}
    where id = ${channel.id}`;
}

export interface ClaimedDelivery {
  id: string;
  attempts: number;
  createdAt: Date;
  channelId: string;
  channel: OpenChannel;
  notices: AlertNotice[];
}

/**
 * Claim messages that are due. A message waits while an earlier message about one of its alerts waits, so that a
 * receiver does not learn of the end before the start.
 */
export async function claimDeliveries(
  sql: postgres.Sql,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<ClaimedDelivery[]> {
  return sql<ClaimedDelivery[]>`
    with claimed as (
      update alert_deliveries set attempts = attempts + 1, next_attempt_at = ${new Date(now + leaseMs)}
      where id in (
        select d.id from alert_deliveries d join alert_channels c on c.id = d.channel_id and c.enabled
        where d.state = 'waiting' and d.next_attempt_at <= ${new Date(now)} and not exists (
          select from alert_outbox o
          join alert_outbox eo on eo.alert_id = o.alert_id and eo.channel_id = o.channel_id and eo.id < o.id
          join alert_deliveries e on e.id = eo.delivery_id and e.state = 'waiting' and e.id <> d.id
          where o.delivery_id = d.id
        )
        order by d.next_attempt_at limit ${limit} for update of d skip locked
      )
      returning id, channel_id, attempts, created_at
    )
    select d.id, d.attempts, d.created_at as "createdAt", c.id as "channelId",
      json_build_object('kind', c.kind, 'config', c.config, 'secret', c.secret) as channel,
      (select json_agg(o.notice order by o.id) from alert_outbox o where o.delivery_id = d.id) as notices
    from claimed d join alert_channels c on c.id = d.channel_id`;
}

export async function extendLease(sql: postgres.ISql, id: string, until: number): Promise<void> {
  await sql`
    update alert_deliveries set next_attempt_at = ${new Date(until)} where id = ${id} and state = 'waiting'`;
}

export async function settleSent(sql: postgres.ISql, id: string): Promise<void> {
  await sql`
    update alert_deliveries set state = 'sent', sent_at = clock_timestamp(), next_attempt_at = null, error = null
    where id = ${id} and state = 'waiting'`;
}

/** @param retryAt null: no further attempt, a dead letter */
export async function settleFailed(
  sql: postgres.ISql,
  id: string,
  error: string,
  retryAt: number | null,
): Promise<void> {
  await sql`
    update alert_deliveries set error = ${error.slice(0, 500)}, state = ${retryAt === null ? 'dead' : 'waiting'},
      next_attempt_at = ${retryAt === null ? null : new Date(retryAt)}
    where id = ${id} and state = 'waiting'`;
  if (retryAt === null) await notifyAlerts(sql);
}
