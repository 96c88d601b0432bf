import type postgres from 'postgres';
import type { AuditAction } from '../../core/api/audit';
import { toJsonText } from '../json-text';

export interface AuditRecord {
  /** Name of a token, `browser` for pages of this server, `retention`, `store`. */
  actor: string;
  action: AuditAction;
  /** `transcripts.id`. */
  transcriptId: number;
  detail?: Readonly<Record<string, unknown>>;
  /**
   * For repeated requests of a page: an equal entry of the same actor within this time is not written again, except by
   * concurrent requests. Milliseconds.
   */
  onceInMs?: number;
}

/** Add to the audit log, in the transaction of the action where there is one. */
export async function recordAudit(
  sql: postgres.ISql,
  { actor, action, transcriptId, detail = {}, onceInMs = 0 }: AuditRecord,
): Promise<void> {
  await sql`
    insert into audit_log (actor, action, project_id, transcript, session, detail)
    select ${actor}, ${action}, t.project_id, t.public_id, t.session, ${toJsonText(detail)}::text::jsonb
    from transcripts t
    where t.id = ${transcriptId} and not exists (
      select from audit_log a
      where a.transcript = t.public_id and a.actor = ${actor} and a.action = ${action}
        and a.detail = ${toJsonText(detail)}::text::jsonb
        and a.at > now() - make_interval(secs => ${onceInMs / 1_000}::float8)
    )`;
}

export interface ActRecord extends Omit<AuditRecord, 'transcriptId'> {
  /** Name of the project; null: none, or several. */
  project: string | null;
}

/** `recordAudit` for actions without a transcript. */
export async function recordAct(
  sql: postgres.ISql,
  { actor, action, project, detail = {}, onceInMs = 0 }: ActRecord,
): Promise<void> {
  await sql`
    insert into audit_log (actor, action, project_id, detail)
    select ${actor}, ${action}, (select id from projects where name = ${project}::text),
      ${toJsonText(detail)}::text::jsonb
    where not exists (
      select from audit_log a
      where a.transcript is null and a.actor = ${actor} and a.action = ${action}
        and a.detail = ${toJsonText(detail)}::text::jsonb
        and a.at > now() - make_interval(secs => ${onceInMs / 1_000}::float8)
    )`;
}
