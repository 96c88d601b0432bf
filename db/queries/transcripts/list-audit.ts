import type postgres from 'postgres';
import * as z from 'zod';
import {
  type AuditEntry,
  type AuditList,
  DEFAULT_AUDIT_LIMIT,
  type ListAuditParameters,
} from '../../../core/api/audit';
import { decodeCursor, pageOf } from '../cursor';
import { allOf } from '../fragments';
import { inProjects } from '../limit-reads';

const cursorShape = z.object({ list: z.literal('audit'), id: z.int() });

interface AuditRow extends Omit<AuditEntry, 'at'> {
  at: Date;
}

/** The audit log, newest entries first. @throws InvalidParameterError for a cursor of another list */
export async function listAudit(
  sql: postgres.ISql,
  parameters: ListAuditParameters = {},
): Promise<AuditList> {
  const { action, project, transcript, actor, from, to, limit = DEFAULT_AUDIT_LIMIT } = parameters;
  const cursor = decodeCursor(parameters.cursor, cursorShape);
  const conditions = allOf(sql, [
    action && sql`a.action = any(${action})`,
    project && sql`p.name = any(${project})`,
    inProjects(sql, 'a.project_id'),
    transcript !== undefined && sql`a.transcript = ${transcript}`,
    actor !== undefined && sql`a.actor = ${actor}`,
    from !== undefined && sql`a.at >= ${new Date(from)}`,
    to !== undefined && sql`a.at <= ${new Date(to)}`,
    cursor && sql`a.id < ${cursor.id}`,
  ]);
  const rows = await sql<AuditRow[]>`
    select a.id, a.at, a.actor, a.action, p.name as project, a.transcript as "transcriptId",
      t.file_name as "fileName", coalesce(s.public_id, a.session) as "sessionId", s.title as "sessionTitle", a.detail
    from audit_log a
    left join projects p on p.id = a.project_id
    left join transcripts t on t.public_id = a.transcript
    left join sessions k on k.public_id = a.session
    left join sessions s on s.id = coalesce(k.adopted_by, k.id)
    where ${conditions}
    order by a.id desc limit ${limit + 1}`;
  const { page, nextCursor } = pageOf(rows, limit, ({ id }) => ({ list: 'audit', id }));
  return { entries: page.map((row) => ({ ...row, at: row.at.toISOString() })), nextCursor };
}
