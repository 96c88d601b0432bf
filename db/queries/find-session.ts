import type postgres from 'postgres';
import { inProjects } from './limit-reads';

export interface SessionRef {
  id: number;
  publicId: string;
  title: string | null;
  project: string;
  lens: 'cumulative' | 'snapshot';
  version: number;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Maximum number of adoptions to follow. More would be a loop. */
const MAX_ADOPTIONS = 16;

/** For the id of an adopted session, finds the adopting session. Null: unknown, deleted, or not an id. */
export async function findSession(sql: postgres.ISql, publicId: string): Promise<SessionRef | null> {
  if (!UUID.test(publicId)) return null;
  const rows = await sql<SessionRef[]>`
    with recursive way as (
      select id, adopted_by, 0 as steps from sessions where public_id = ${publicId}
      union all
      select s.id, s.adopted_by, way.steps + 1
      from way join sessions s on s.id = way.adopted_by
      where way.steps < ${MAX_ADOPTIONS}
    )
    select s.id, s.public_id as "publicId", s.title, p.name as project, s.lens, s.version
    from way
    join sessions s on s.id = way.id
    join projects p on p.id = s.project_id
    where way.adopted_by is null and s.deleted_at is null and ${inProjects(sql, 's.project_id')}`;
  return rows[0] ?? null;
}

/** Whether a session of this id was deleted, so that a tombstone exists. */
export async function isDeletedSession(sql: postgres.ISql, publicId: string): Promise<boolean> {
  if (!UUID.test(publicId)) return false;
  const rows = await sql`
    select 1 from sessions
    where public_id = ${publicId} and deleted_at is not null and ${inProjects(sql, 'project_id')}`;
  return rows.length > 0;
}
