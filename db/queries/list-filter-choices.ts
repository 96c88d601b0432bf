import type postgres from 'postgres';
import type { FilterChoices } from '../../core/api/responses';
import { existing } from './session-row';

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
