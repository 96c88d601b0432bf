import type postgres from 'postgres';
import type { FilterChoices, ProjectList } from '../../core/api/responses';
import { existing } from './session-row';

export async function listProjects(sql: postgres.ISql): Promise<ProjectList> {
  const rows = await sql<{ name: string; sessions: number; lastActivityAt: Date | null }[]>`
    select p.name, count(*)::int as sessions, max(s.last_activity_at) as "lastActivityAt"
    from projects p join sessions s on s.project_id = p.id and ${existing(sql)}
    group by p.name order by p.name`;
  return {
    projects: rows.map((row) => ({ ...row, lastActivityAt: row.lastActivityAt?.toISOString() ?? null })),
  };
}

export async function listFilterChoices(sql: postgres.ISql): Promise<FilterChoices> {
  const rows = await sql<{ kind: keyof FilterChoices; name: string }[]>`
    select 'projects' as kind, p.name from projects p
      where exists (select 1 from sessions s where s.project_id = p.id and ${existing(sql)})
    union
    select 'runners', r.name from runners r
      where exists (select 1 from sessions s where s.runner_id = r.id and ${existing(sql)})
    union
    select 'models', s.model from sessions s where s.model is not null and ${existing(sql)}
    order by name`;
  const choices: FilterChoices = { projects: [], runners: [], models: [] };
  for (const { kind, name } of rows) choices[kind].push(name);
  return choices;
}
