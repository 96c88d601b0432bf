import type postgres from 'postgres';
import type { ListSessionsParameters } from '../../core/api/parameters';
import type { Clock } from './clock';
import { allOf } from './conditions';
import { existing } from './session-row';

/** core/identity/liveness in SQL, for sessions `s`; a test holds the two together. */
export function livenessExpression(sql: postgres.ISql, { nowMs, idleAfterMs }: Clock) {
  const liveSince = new Date(nowMs - idleAfterMs);
  return sql`
    case
      when s.ended_at is not null then 'ended'
      when not s.backfill and s.last_activity_at > ${liveSince} then 'live'
      else 'idle'
    end`;
}

/** Sessions `s` of project `p` and runner `r` that a list shows. */
export function sessionConditions(sql: postgres.ISql, parameters: ListSessionsParameters, clock: Clock) {
  const { project, runner, model, state, liveness, clientSessionId, q } = parameters;
  return allOf(sql, [
    existing(sql),
    project && sql`p.name = any(${project})`,
    runner && sql`r.name = any(${runner})`,
    model && sql`s.model = any(${model})`,
    state && sql`s.state = any(${state})`,
    liveness && sql`${livenessExpression(sql, clock)} = any(${liveness})`,
    clientSessionId !== undefined && hasAlias(sql, sql`a.client_session_id = ${clientSessionId}`),
    !!q?.trim() && matches(sql, q.trim()),
  ]);
}

function hasAlias(sql: postgres.ISql, condition: ReturnType<typeof existing>) {
  return sql`exists (select 1 from session_aliases a where a.session_id = s.id and ${condition})`;
}

/** Every word of the text, anywhere in what an operator knows a session by. */
function matches(sql: postgres.ISql, text: string) {
  const words = text.split(/\s+/).slice(0, 10);
  return allOf(
    sql,
    words.map((word) => {
      const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
      return sql`(
        concat_ws(' ', s.title, s.key, p.name, r.name, s.host, s.folder, s.branch, s.model) ilike ${pattern}
        or ${hasAlias(sql, sql`a.client_session_id ilike ${pattern}`)}
      )`;
    }),
  );
}
