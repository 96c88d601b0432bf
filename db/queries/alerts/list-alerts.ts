import type postgres from 'postgres';
import * as z from 'zod';
import { quietUntil } from '../../../core/alerts/quiet-hours';
import type { QuietHours } from '../../../core/alerts/rule';
import {
  type Alert,
  type AlertList,
  DEFAULT_ALERTS,
  type ListAlertsParameters,
} from '../../../core/api/alerts';
import { LATEST_MS } from '../../../core/api/parameters';
import { notifyAlerts } from '../../notify-alerts';
import { isoText } from '../../tables';
import { transact } from '../../transact';
import { recordAudit } from '../../transcripts/record-audit';
import { decodeCursor, pageOf } from '../cursor';
import type { SessionRef } from '../find-session';
import { allOf } from '../fragments';
import { inProjects } from '../limit-reads';

const cursorShape = z.object({
  list: z.literal('alerts'),
  key: z.tuple([z.int().min(0).max(3), z.number().min(0).max(LATEST_MS), z.uuid()]),
});

/** Open alerts: the most severe first, then by their start. Others: the newest first, by the time at which they fired. */
export async function listAlerts(sql: postgres.ISql, parameters: ListAlertsParameters): Promise<AlertList> {
  const { phase, session, limit = DEFAULT_ALERTS } = parameters;
  const behind = decodeCursor(parameters.cursor, cursorShape)?.key;
  const at = sql`coalesce(a.fired_at, a.since)`;
  const rank =
    phase === 'open' ? sql`array_position('{info,warning,critical}'::text[], a.severity)` : sql`0::int`;
  const conditions = [
    phase === 'open' && sql`a.phase <> 'resolved'`,
    phase === 'resolved' && sql`a.phase = 'resolved'`,
    phase === undefined && sql`a.phase <> 'pending'`,
    session !== undefined && sql`s.public_id = ${session}`,
    inProjects(sql, 'p.id'),
  ];
  const from = sql`
    from alerts a join alert_rules r on r.id = a.rule_id
    left join sessions s on s.id = a.session_id
    left join alert_mutes m on m.session_id = a.session_id and m.until > now()
    left join runners ru on ru.id = coalesce(a.runner_id, s.runner_id)
    left join projects p on p.id = coalesce(s.project_id, ru.project_id)`;
  const iso = (column: string) => sql.unsafe(isoText(column));
  const [rows, [counted]] = await Promise.all([
    sql<(Alert & { key: number; rank: number; quiet: QuietHours | null })[]>`
      select a.id, json_build_object('id', r.id, 'name', r.definition->>'name') as rule, a.severity,
        r.definition->'condition'->>'kind' as condition, a.phase, a.text, ${iso('a.since')} as since,
        ${iso('a.fired_at')} as "firedAt", ${iso('a.resolved_at')} as "resolvedAt", a.resolved_by as "resolvedBy",
        ${iso('a.acknowledged_at')} as "acknowledgedAt", a.acknowledged_by as "acknowledgedBy",
        ${iso("greatest(m.until, nullif(greatest((r.definition->>'mutedUntil')::timestamptz, now()), now()))")}
          as "mutedUntil",
        coalesce(p.name, '') as project, coalesce(ru.name, '') as runner,
        case when s.id is null then null else
          json_build_object('id', s.public_id, 'title', s.title, 'key', s.key, 'model', s.model) end as session,
        array(
          select distinct c.kind from alert_channels c where r.definition->'channels' ? c.id::text
            and c.enabled and c.deleted_at is null and c.kind in ('browser', 'command')
        ) as "pulledBy", r.definition->'quiet' as quiet,
        extract(epoch from ${at})::float8 * 1000 as key, ${rank} as rank
      ${from}
      where ${allOf(sql, [
        ...conditions,
        behind !== undefined &&
          sql`(${rank}, ${at}, a.id) < (${behind[0]}::int, to_timestamp(${behind[1]}::float8 / 1000.0), ${behind[2]}::uuid)`,
      ])}
      order by ${rank} desc, ${at} desc, a.id desc limit ${limit + 1}`,
    sql<{ total: number }[]>`select count(*)::int as total ${from} where ${allOf(sql, conditions)}`,
  ]);
  const { page, nextCursor } = pageOf(rows, limit, ({ rank: first, key, id }) => ({
    list: 'alerts',
    key: [first, key, id],
  }));
  const alerts = page.map(({ key: _key, rank: _rank, quiet, ...row }) => ({
    ...row,
    pulledBy: quiet && quietUntil(quiet, Date.now()) !== null ? [] : row.pulledBy,
  }));
  return { alerts, total: counted?.total ?? 0, nextCursor };
}

/** @returns false for an unknown or resolved alert */
export function acknowledgeAlert(sql: postgres.Sql, id: string, actor: string): Promise<boolean> {
  return transact(sql, async (tx) => {
    const [row] = await tx<{ name: string; project: string | null; was: boolean }[]>`
      with seen as (
        select a.id, r.definition->>'name' as name, p.name as project, a.acknowledged_at is not null as was
        from alerts a join alert_rules r on r.id = a.rule_id
        left join sessions s on s.id = a.session_id
        left join runners ru on ru.id = coalesce(a.runner_id, s.runner_id)
        left join projects p on p.id = coalesce(s.project_id, ru.project_id)
        where a.id = ${id} and a.phase <> 'resolved' and ${inProjects(tx, 'p.id')}
      )
      update alerts a set acknowledged_at = coalesce(acknowledged_at, clock_timestamp()),
        acknowledged_by = coalesce(acknowledged_by, ${actor}), changed_at = clock_timestamp()
      from seen where a.id = seen.id returning seen.name, seen.project, seen.was`;
    if (!row) return false;
    const { name, project, was } = row;
    if (!was) await recordAudit(tx, { actor, action: 'alert_acknowledged', project, detail: { name } });
    await notifyAlerts(tx);
    return true;
  });
}

/** @param until null: end the mute */
export async function muteSession(
  sql: postgres.TransactionSql,
  { id }: SessionRef,
  until: Date | null,
): Promise<void> {
  if (until === null) await sql`delete from alert_mutes where session_id = ${id}`;
  else {
    await sql`
      insert into alert_mutes (session_id, until) values (${id}, ${until})
      on conflict (session_id) do update set until = excluded.until`;
  }
  await notifyAlerts(sql);
}
