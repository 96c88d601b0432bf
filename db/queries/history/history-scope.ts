import type postgres from 'postgres';
import type { HistoryParameters } from '../../../core/api/history';
import { allOf } from '../conditions';

/** What of all history is asked for, by the ids that it is stored under; null: all. */
export interface HistoryScope {
  runnerIds: number[] | null;
  modelIds: number[] | null;
}

/** Ids of the names that were asked for; a name that nothing has leaves nothing. */
export async function readHistoryScope(
  sql: postgres.ISql,
  { project, runner, model }: Pick<HistoryParameters, 'project' | 'runner' | 'model'>,
): Promise<HistoryScope> {
  const runners =
    project || runner
      ? await sql<{ id: number }[]>`
        select r.id from runners r join projects p on p.id = r.project_id
        where ${allOf(sql, [project && sql`p.name = any(${project})`, runner && sql`r.name = any(${runner})`])}`
      : null;
  const models = model ? await sql<{ id: number }[]>`select id from models where name = any(${model})` : null;
  return { runnerIds: runners?.map(({ id }) => id) ?? null, modelIds: models?.map(({ id }) => id) ?? null };
}

/** Rows `h` of `history` or `session_history` in a range of buckets, the end exclusive. */
export function inScope(
  sql: postgres.ISql,
  { runnerIds, modelIds }: HistoryScope,
  range: { from: number; to: number },
) {
  return allOf(sql, [
    sql`h.bucket >= ${range.from} and h.bucket < ${range.to}`,
    runnerIds && sql`h.runner_id = any(${`{${runnerIds}}`}::text::int[])`,
    modelIds && sql`h.model_id = any(${`{${modelIds}}`}::text::int[])`,
  ]);
}
