import type postgres from 'postgres';
import { PLACE } from '../../core/accounting/boundary-order';
import { COMPACTING_LASTS_MS } from '../../core/accounting/compacting';
import type { ListSessionsParameters, SessionSort } from '../../core/api/parameters';
import { LEAST_SILENCE_MS } from '../../core/forecast/silence';
import type { Clock } from './clock';
import { allOf, hasWords } from './fragments';
import { existing } from './session-row';

/** core/identity/liveness in SQL, for sessions `s`; a test compares the two. */
function livenessExpression(sql: postgres.ISql, { nowMs, idleAfterMs }: Clock) {
  const liveSince = new Date(nowMs - idleAfterMs);
  return sql`
    case
      when s.ended_at is not null then 'ended'
      when not s.backfill and s.last_activity_at > ${liveSince} then 'live'
      else 'idle'
    end`;
}

const VISIBLE_NAMES = `concat_ws(' ', s.title, s.key, p.name, r.name, s.host, s.folder, s.branch, s.model,
  (select string_agg(client_session_id, ' ') from session_aliases where session_id = s.id))`;

/** Conditions of a list on sessions `s` of project `p` and runner `r`. */
export function sessionConditions(sql: postgres.ISql, parameters: ListSessionsParameters, clock: Clock) {
  const { project, runner, model, state, liveness, clientSessionId, q } = parameters;
  return allOf(sql, [
    existing(sql),
    project && sql`p.name = any(${project})`,
    runner && sql`r.name = any(${runner})`,
    model && sql`s.model = any(${model})`,
    state && sql`s.state = any(${state})`,
    liveness && sql`${livenessExpression(sql, clock)} = any(${liveness})`,
    clientSessionId !== undefined &&
      sql`exists (select 1 from session_aliases where session_id = s.id and client_session_id = ${clientSessionId})`,
    !!q?.trim() && hasWords(sql, q.trim(), sql.unsafe(VISIBLE_NAMES)),
  ]);
}

/** Ascending by (rank, value, id). A descending value is negated, and rows without a value have a higher rank. */
export interface OrderKey {
  rank: ReturnType<postgres.ISql>;
  value: ReturnType<postgres.ISql>;
}

/** The default direction of each sort key. */
export const NATURAL_ORDER: Record<SessionSort, 'asc' | 'desc'> = {
  boundary: 'asc',
  pressure: 'desc',
  rate: 'desc',
  lastTurn: 'desc',
  startedAt: 'desc',
  continuations: 'desc',
  used: 'desc',
};

/** `rate` is missing here: it is computed from the turns' growth and sorted in JavaScript. */
export function orderKey(
  sql: postgres.ISql,
  sort: Exclude<SessionSort, 'rate'>,
  order: 'asc' | 'desc',
  clock: Clock,
): OrderKey {
  if (sort === 'boundary') return boundaryKey(sql, order, clock);
  const plain = {
    pressure: sql`s.pressure`,
    lastTurn: sql`extract(epoch from s.last_turn_at)`,
    startedAt: sql`extract(epoch from s.started_at)`,
    continuations: sql`(s.fold->>'continuations')::int`,
    used: sql`s.used`,
  }[sort];
  const sign = order === 'asc' ? 1 : -1;
  return {
    rank: sql`case when ${plain} is null then 1 else 0 end`,
    value: sql`coalesce(${sign}::float8 * ${plain}::float8, 0)`,
  };
}

/** The order of core/accounting/boundary-order.ts; a test compares the two. */
function boundaryKey(sql: postgres.ISql, order: 'asc' | 'desc', clock: Clock): OrderKey {
  const sign = order === 'asc' ? 1 : -1;
  const place = sql`
    case
      when ${livenessExpression(sql, clock)} = 'ended' then ${PLACE.ended}::int
      when ${livenessExpression(sql, clock)} = 'live' and a.at is not null then ${PLACE.compacting}::int
      when s.state = 'redlined'
        then case when ${livenessExpression(sql, clock)} = 'idle' then ${PLACE.idleOver}::int else ${PLACE.over}::int end
      when ${livenessExpression(sql, clock)} = 'live' and s.state <> 'untracked' and s.minutes_left is not null
        and not ${isSilent(sql, clock)} then ${PLACE.counting}::int
      when f.session_id is not null then ${PLACE.alerting}::int
      when s.state = 'untracked' then ${PLACE.untracked}::int
      when ${livenessExpression(sql, clock)} = 'idle' then ${PLACE.idle}::int
      when s.minutes_left is not null
        then case when s.state in ('warning', 'critical') then ${PLACE.heldNear}::int else ${PLACE.held}::int end
      when s.state = 'unknown' then ${PLACE.unknown}::int
      else ${PLACE.early}::int
    end`;
  return {
    rank: sql`${sign}::int * ${place}`,
    value: sql`
      ${sign}::float8 * case ${place}
        when ${PLACE.compacting}::int then a.at
        when ${PLACE.counting}::int then s.minutes_left
        when ${PLACE.held}::int then s.minutes_left
        when ${PLACE.untracked}::int then -coalesce(extract(epoch from s.last_turn_at), 0)
        when ${PLACE.ended}::int then -coalesce(extract(epoch from s.last_turn_at), 0)
        else -coalesce(s.pressure, 0)
      end`,
  };
}

/** Sessions with a firing alert that is not acknowledged, for a join with `sessions`. */
export function alerting(sql: postgres.ISql) {
  return sql`
    select distinct session_id from alerts
    where phase = 'firing' and acknowledged_at is null and session_id is not null`;
}

/** `silentFrom` of core/forecast/silence.ts in SQL. Sessions without a value in this column use the minimum. */
function isSilent(sql: postgres.ISql, { nowMs }: Clock) {
  return sql`
    (s.last_turn_at + coalesce(s.silent_after_ms, ${LEAST_SILENCE_MS}::int) * interval '1 millisecond' <= ${new Date(nowMs)})`;
}

/** `compacting` of core/accounting in SQL, for a join with `sessions`. Reads only the folds of sessions with a recent event. */
export function announced(sql: postgres.ISql, { nowMs }: Clock) {
  const since = nowMs - COMPACTING_LASTS_MS;
  return sql`
    select distinct ch.session_id, (last->>'at')::float8 as at
    from events e join chains ch on ch.session_id = e.session_id and ch.chain = 0
    cross join lateral (select ch.fold->'compactions'->-1 as last, ch.fold->'context' as context) f
    where e.at > ${new Date(since)} and e.kind = 'compaction' and e.chain = 0 and not e.retracted
      and last->>'state' = 'pending' and (last->>'turnSince')::boolean is not true
      and (last->>'at')::float8 > ${since}::float8
      and coalesce((last->>'at')::float8 >= (f.context->>'lastMainAt')::float8, true)`;
}
