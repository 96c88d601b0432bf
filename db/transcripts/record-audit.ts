/** The audit log: who read, changed or deleted what. */
import type postgres from 'postgres';
import type { AuditAction } from '../../core/api/audit';
import { maskText } from '../../core/secrets/mask-text';
import { toJsonText } from '../json-text';

interface AuditRecord {
  actor: string;
  action: AuditAction;
  transcriptId?: number | undefined;
  /** Project of an action without a transcript. Absent or null: the action concerns no project, or several. */
  project?: string | null;
  detail?: Readonly<Record<string, unknown>>;
  /** If an equal entry was recorded within this many milliseconds, record no second entry. */
  onceInMs?: number;
}

/** Add to the log, in the transaction of the action if there is one. Entries that differ only in `found` are equal. */
export async function recordAudit(
  sql: postgres.ISql,
  { actor, action, transcriptId, project = null, detail = {}, onceInMs = 0 }: AuditRecord,
): Promise<void> {
  await sql`
    with entry as (
      select t.project_id, t.public_id as transcript, t.session, ${toJsonText(detail)}::text::jsonb as detail
      from transcripts t where t.id = ${transcriptId ?? null}::int
      union all
      select (select id from projects where name = ${project}::text), null, null, ${toJsonText(detail)}::text::jsonb
      where ${transcriptId === undefined}::boolean
    )
    insert into audit_log (actor, action, project_id, transcript, session, detail)
    select ${actor}, ${action}, e.project_id, e.transcript, e.session, e.detail
    from entry e
    where not exists (
      select from audit_log a
      where a.at > now() - make_interval(secs => ${onceInMs / 1_000}::float8)
        and a.action = ${action} and a.actor = ${actor} and a.transcript is not distinct from e.transcript
        and a.project_id is not distinct from e.project_id and a.detail - 'found' = e.detail - 'found'
    )`;
}

interface SearchRecord {
  actor: string;
  words: string;
  projects?: readonly string[];
  transcriptId?: number;
  found: number;
}

/** Equal searches within this time are one entry, because pages repeat a search when they scroll or refresh. */
const ONE_SEARCH_MS = 10 * 60_000;

/** A text longer than an id may be an unknown kind of key, so only its start is stored. */
const LONG_WORD = /\S{41,}/g;

/**
 * Record a search before it is answered. Secrets are masked and long words are cut, because more people may read the
 * log than see secrets.
 */
export async function recordSearch(
  sql: postgres.ISql,
  { actor, words, projects = [], transcriptId, found }: SearchRecord,
): Promise<void> {
  // PostgreSQL rejects NUL.
  const storable = (await maskText(words)).replaceAll('\u0000', '');
  const masked = storable.replace(LONG_WORD, (word) => `${word.slice(0, 8)}…`).trim();
  if (masked === '') return;
  await recordAudit(sql, {
    actor,
    action: 'transcripts_searched',
    transcriptId,
    project: projects.length === 1 ? (projects[0] ?? null) : null,
    detail: { words: masked, found, ...(projects.length > 1 && { projects: [...projects].sort() }) },
    onceInMs: ONE_SEARCH_MS,
  });
}
