/** For tests of history: roll up, rebuild, and read without surrogate ids. */
import type postgres from 'postgres';
import { rollUpHistory } from './roll-up';

export async function rollUpAll(sql: postgres.Sql): Promise<void> {
  for (;;) {
    const { changes } = await rollUpHistory(sql);
    if (changes === 0) return;
  }
}

/** Deletes the history of a project and computes it again from the stored rows. */
export async function countAnew(sql: postgres.Sql, project: string): Promise<void> {
  const ours = sql`(select id from sessions where project_id = (select id from projects where name = ${project}))`;
  const runners = sql`(select id from runners where project_id = (select id from projects where name = ${project}))`;
  await sql`delete from session_history where session_id in ${ours}`;
  await sql`delete from history where runner_id in ${runners}`;
  await sql`insert into history_changes (session_id, position) select id, 0 from sessions where id in ${ours}`;
  await rollUpAll(sql);
}

export interface StoredHistory {
  sessions: Record<string, unknown>[];
  cells: Record<string, unknown>[];
  /** The cells again, as sums over the sessions. */
  summed: Record<string, unknown>[];
}

export async function readHistory(sql: postgres.Sql, project: string): Promise<StoredHistory> {
  const ours = sql`p.name = ${project}`;
  const figures = sql`h.input, h.output, h.cache_read, h.cache_creation, h.turns, h.restarts, h.compactions, h.thrashes,
    h.cache_storms, h.peak`;
  const sums = ['input', 'output', 'cache_read', 'cache_creation'];
  const counts = ['turns', 'restarts', 'compactions', 'thrashes', 'cache_storms'];
  const sessions = await sql<Record<string, unknown>[]>`
    select s.key, h.bucket, m.name as model, ${figures}, h.first_position, h.last_position
    from session_history h join sessions s on s.id = h.session_id join projects p on p.id = s.project_id
    left join models m on m.id = h.model_id where ${ours} order by 1, 2, 3`;
  const cells = await sql<Record<string, unknown>[]>`
    select r.name as runner, h.bucket, m.name as model, ${figures}
    from history h join runners r on r.id = h.runner_id join projects p on p.id = r.project_id
    left join models m on m.id = h.model_id where ${ours} order by 1, 2, 3`;
  const summed = await sql<Record<string, unknown>[]>`
    select r.name as runner, h.bucket, m.name as model,
      ${sql.unsafe([...sums.map((name) => `least(sum(h.${name}), 9007199254740991)::bigint as ${name}`), ...counts.map((name) => `sum(h.${name})::int as ${name}`)].join(', '))},
      max(h.peak) as peak
    from session_history h join runners r on r.id = h.runner_id join projects p on p.id = r.project_id
    left join models m on m.id = h.model_id where ${ours} group by 1, 2, 3 order by 1, 2, 3`;
  return { sessions: [...sessions], cells: [...cells], summed: [...summed] };
}
