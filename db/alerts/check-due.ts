/**
 * Alerts that change with time: pending and silent sessions, countdowns, repeats, and runners. An advisory lock lets one
 * process of all servers check at a time.
 */
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { stepAlert } from '../../core/alerts/alert-machine';
import { runnerText } from '../../core/alerts/alert-text';
import { isOfRunner, type RunnerFacts, runnerHolds } from '../../core/alerts/conditions';
import { DEFAULT_RULES } from '../../core/alerts/default-rules';
import { quietUntil } from '../../core/alerts/quiet-hours';
import type { AlertCondition, QuietHours } from '../../core/alerts/rule';
import { groupBy } from '../group-by';
import { toJsonText } from '../json-text';
import { notifyAlerts } from '../notify-alerts';
import { existing, type SessionRow, selectSessions, toSession } from '../queries/session-row';
import { isoText } from '../tables';
import { transact } from '../transact';
import { STORE_RANK } from '../transcripts/record-store-event';
import { ALERT_COLUMNS, type CheckedEvent, deriveAlerts, stateOf } from './derive-alerts';
import { type RuleBook, ruleBook } from './rule-book';
import { type AlertRow, AlertWrites } from './write-alerts';

/** Locks of other jobs use other keys. */
const SCHEDULER_LOCK = 0x616c7274;
const SESSIONS_PER_ROUND = 500;
const KEPT_DAYS = { alerts: 90, deliveries: 7 };

/** Add the rules of the first start that are neither stored nor deleted. */
export async function seedRules(sql: postgres.Sql): Promise<void> {
  const rows = DEFAULT_RULES.map(({ id, ...definition }) => ({ id, definition }));
  await sql`
    insert into alert_rules (id, definition)
    select r.id, r.definition from json_to_recordset(${toJsonText(rows)}::text::json) as r (id uuid, definition jsonb)
    on conflict do nothing`;
}

/** @returns whether more sessions are due. False also if another process checks at the moment. */
export async function checkDueAlerts(sql: postgres.Sql, now: number, idleAfterMs: number): Promise<boolean> {
  const book = await ruleBook(sql);
  return transact(sql, async (tx) => {
    const [lock] = await tx<
      { taken: boolean }[]
    >`select pg_try_advisory_xact_lock(${SCHEDULER_LOCK}) as taken`;
    if (!lock?.taken) return false;
    await endOrphans(tx, now);
    await checkRunners(tx, book, now);
    const stored = await findStoreEvents(tx, book, now);
    const due = [...new Set([...(await findDue(tx, book, now)), ...stored.keys()])];
    if (due.length > 0) await checkSessions(tx, book, due, stored, { nowMs: now, idleAfterMs });
    return due.length >= SESSIONS_PER_ROUND;
  });
}

/** Delete old history, and messages that were sent. */
export async function deleteOldAlerts(sql: postgres.Sql): Promise<void> {
  await sql`
    delete from alerts where phase = 'resolved' and fired_at < now() - make_interval(days => ${KEPT_DAYS.alerts}::int)`;
  await sql`
    with old as (
      delete from alert_deliveries
      where state = 'sent' and created_at < now() - make_interval(days => ${KEPT_DAYS.deliveries}::int) returning id
    )
    delete from alert_outbox o using old where o.delivery_id = old.id`;
}

/**
 * End alerts whose rule is off, whose session is deleted or adopted, or whose event was retracted by an adoption. The
 * channels that got a message about the alert get one about its end, under the rules of `AlertWrites`.
 */
async function endOrphans(tx: postgres.ISql, now: number): Promise<void> {
  const rules = await tx<{ rule: string; quiet: QuietHours }[]>`
    select id as rule, definition->'quiet' as quiet from alert_rules where definition->>'quiet' is not null`;
  const held = rules.map(({ rule, quiet }) => ({ rule, until: quietUntil(quiet, now) }));
  const ended = await tx`
    with open as materialized (
      select a.id, a.session_id, split_part(a.event, ' ', 1)::bigint as position, split_part(a.event, ' ', 2) as kind
      from alerts a where a.phase <> 'resolved' and a.event <> ''
    ), retracted as materialized (
      select o.id from open o
      join events e on e.session_id = o.session_id and e.position = o.position and e.kind = o.kind and e.retracted
    ), ended as (
      update alerts a set phase = 'resolved', resolved_at = statement_timestamp(), due_at = null,
        changed_at = statement_timestamp(), resolved_by = x.reason
      from (
        select a.id, coalesce((r.definition->>'mutedUntil')::timestamptz > statement_timestamp(), false) or exists (
          select from alert_mutes m where m.session_id = a.session_id and m.until > statement_timestamp()
        ) as muted, to_timestamp(h.until / 1000) as quiet, case
          when r.deleted_at is not null or not (r.definition->>'enabled')::boolean then 'rule'
          when s.deleted_at is not null or s.adopted_by is not null then 'removed'
          when a.id in (select o.id from retracted o) then 'retracted'
        end as reason
        from alerts a join alert_rules r on r.id = a.rule_id
        left join json_to_recordset(${toJsonText(held)}::text::json) as h (rule uuid, until float8) on h.rule = r.id
        left join sessions s on s.id = a.session_id
        where a.phase <> 'resolved'
      ) x
      where x.id = a.id and x.reason is not null returning a.id, x.reason, x.muted, x.quiet
    ), dropped as (
      delete from alert_outbox o using ended a
      where o.alert_id = a.id and a.quiet is not null and o.delivery_id is null and o.not_before > ${new Date(now)}
      returning o.channel_id, o.alert_id, o.notice
    ), announced as (
      insert into alert_outbox (channel_id, alert_id, notice, not_before)
      select distinct on (o.channel_id, a.id) o.channel_id, a.id, o.notice || jsonb_build_object('change', 'resolved',
        'resolvedAt', ${tx.unsafe(isoText('clock_timestamp()'))}, 'resolvedBy', a.reason), coalesce(a.quiet, clock_timestamp())
      from ended a join alert_outbox o on o.alert_id = a.id
      where not a.muted and not exists (
        select from dropped d
        where d.alert_id = a.id and d.channel_id = o.channel_id and d.notice->>'change' = 'fired'
      )
      order by o.channel_id, a.id, o.id desc
    )
    select id from ended`;
  if (ended.length > 0) await notifyAlerts(tx);
}

/** Sessions with an alert that is due, and sessions that a rule about silence or a countdown may reach. */
async function findDue(tx: postgres.ISql, book: RuleBook, now: number): Promise<number[]> {
  const at = new Date(now);
  const conditions = book.rules.map(({ condition }) => condition);
  const silences = conditions.flatMap((one) => (one.kind === 'silent' ? one.minutes : []));
  const silent = silences.length === 0 ? null : Math.min(...silences);
  const mostSilent = Math.max(0, ...silences);
  const countdowns = conditions.flatMap((one) =>
    one.kind === 'forecast' && one.unit === 'minutes' ? one.within : [],
  );
  const countdown = Math.max(0, ...countdowns);
  const rows = await tx<{ id: number }[]>`
    select session_id as id from alerts where due_at <= ${at} and phase <> 'resolved' and session_id is not null
    union
    select s.id from sessions s
    where ${silent !== null}::boolean and ${existing(tx)} and not s.backfill and s.ended_at is null
      and s.last_turn_at <= ${at}::timestamptz - make_interval(mins => ${silent}::int)
      and s.last_turn_at > ${at}::timestamptz - make_interval(mins => ${mostSilent}::int + 60)
      and s.changed_at > ${at}::timestamptz - make_interval(mins => ${mostSilent}::int + 120)
      and (select count(*) from alerts a where a.session_id = s.id and a.phase <> 'resolved'
        and a.rule_id = any(${ofKind(book, 'silent')}::uuid[])) < ${ofKind(book, 'silent').length}::int
    union
    select s.id from sessions s
    where ${countdown > 0}::boolean and ${existing(tx)} and not s.backfill and s.ended_at is null
      and s.changed_at > ${at}::timestamptz - interval '25 hours'
      and s.last_turn_at + s.silent_after_ms * interval '1 millisecond' > ${at}::timestamptz
      -- The low end of a range is above a fifth of the median.
      and s.minutes_left / 5 - extract(epoch from ${at}::timestamptz - s.last_turn_at) / 60 <= ${countdown}::float8
      and (select count(*) from alerts a where a.session_id = s.id and a.phase <> 'resolved'
        and a.rule_id = any(${ofKind(book, 'forecast')}::uuid[])) < ${ofKind(book, 'forecast').length}::int
    limit ${SESSIONS_PER_ROUND}`;
  return rows.map(({ id }) => id);
}

/** Failures of archives that the server itself reported, outside of ingest, and that no rule has seen yet. */
async function findStoreEvents(
  tx: postgres.ISql,
  book: RuleBook,
  now: number,
): Promise<Map<number, CheckedEvent[]>> {
  const rules = ofKind(book, 'archive_failed');
  if (rules.length === 0) return new Map();
  const rows = await tx<(CheckedEvent & { sessionId: number })[]>`
    select e.session_id as "sessionId", e.position, e.kind, e.detail, extract(epoch from e.at)::float8 * 1000 as at
    from events e
    where e.at > ${new Date(now)}::timestamptz - interval '1 hour' and e.rank >= ${STORE_RANK} and not e.retracted
      and e.kind in ('archive_failed', 'archive_damaged') and (
        select count(*) from alerts a where a.session_id = e.session_id and a.rule_id = any(${rules}::uuid[])
          and a.event = e.position || ' ' || e.kind
      ) < ${rules.length}::int
    limit ${SESSIONS_PER_ROUND}`;
  return groupBy(rows, ({ sessionId }) => sessionId);
}

const ofKind = ({ rules }: RuleBook, kind: AlertCondition['kind']): string[] =>
  rules.filter(({ condition }) => condition.kind === kind).map(({ id }) => id);

/** Check stored sessions. A session that another transaction holds is left to the next round. */
async function checkSessions(
  tx: postgres.TransactionSql,
  book: RuleBook,
  ids: readonly number[],
  events: ReadonlyMap<number, CheckedEvent[]>,
  clock: { nowMs: number; idleAfterMs: number },
): Promise<void> {
  const locked = await tx<{ id: number; projectId: number; runnerId: number }[]>`
    select id, project_id as "projectId", runner_id as "runnerId" from sessions
    where id = any(${`{${ids}}`}::text::bigint[]) order by id for update skip locked`;
  const rows = await tx<SessionRow[]>`
    ${selectSessions(tx, tx`s.id = any(${`{${locked.map(({ id }) => id)}}`}::text::bigint[])`)}`;
  const owners = new Map(locked.map((row) => [row.id, row]));
  const checks = rows.map((row) => ({
    ...(owners.get(row.id) ?? { projectId: 0, runnerId: 0 }),
    sessionId: row.id,
    publicId: row.publicId,
    facts: toSession(row, clock),
    passing: [],
    events: events.get(row.id) ?? [],
    retracted: [],
  }));
  await deriveAlerts(tx, book, checks, clock.nowMs);
}

/** A runner that was away for longer than a rule's time and a day is no longer in use. */
const RUNNER_DAYS = 8;

async function checkRunners(tx: postgres.ISql, book: RuleBook, now: number): Promise<void> {
  const rules = book.rules.filter(({ condition }) => isOfRunner(condition));
  if (rules.length === 0) return;
  const runners = await tx<(Omit<RunnerFacts, 'seenAt'> & { id: number; seenAt: Date })[]>`
    select r.id, r.name as runner, p.name as project, r.host, r.seen_at as "seenAt", q.queued,
      q.before as "queuedBefore"
    from runners r join projects p on p.id = r.project_id
    left join lateral (
      select sum(s.queued)::float8 as queued, sum(s.queued_before)::float8 as before from streams s where s.runner_id = r.id
    ) q on true
    where r.seen_at > ${new Date(now)}::timestamptz - make_interval(days => ${RUNNER_DAYS}::int)`;
  const open = await tx<AlertRow[]>`
    select ${tx.unsafe(ALERT_COLUMNS)} from alerts a where a.runner_id is not null and a.phase <> 'resolved'`;
  const writes = new AlertWrites(now, false);
  for (const rule of rules) {
    for (const { id, seenAt, ...runner } of runners) {
      const facts: RunnerFacts = { ...runner, seenAt: seenAt.getTime() };
      const before = open.find((alert) => alert.ruleId === rule.id && alert.runnerId === id) ?? null;
      const isIn = rule.inScope({ ...facts, model: null, title: null, branch: null });
      if (before === null && !isIn) continue;
      const isOn = isIn && runnerHolds(rule.condition, facts, now, before !== null);
      if (before === null && !isOn) continue;
      const step = stepAlert(rule, before && stateOf(before), isOn, now);
      const { project, runner: name } = facts;
      const own = { project, runner: name, sessionId: null, runnerId: id, session: null };
      const subject = { ...own, id: before?.id ?? randomUUID() };
      const text = before && step.change === 'resolved' ? before.text : runnerText(rule.condition, facts);
      writes.add(rule, subject, step, before, { text, event: '' });
    }
  }
  await writes.flush(tx);
}
