import type postgres from 'postgres';
import {
  COMPACTION_STATES,
  type ListTranscriptsParameters,
  type TranscriptRow,
} from '../../../core/api/transcripts';
import { eventId } from '../events';
import { hasWords } from '../fragments';
import { inProjects } from '../limit-reads';

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Converted = 'id' | 'at' | 'verifiedAt' | 'deletedAt' | 'eventId' | 'compaction';
export interface StoredTranscript extends Omit<TranscriptRow, Converted> {
  id: number;
  publicId: string;
  at: Date;
  verifiedAt: Date | null;
  deletedAt: Date | null;
  /** The compaction's event: cause, state and reason. */
  event: [cause: string, state: string | null, reason: string | null] | null;
}

/** Transcripts `t`, their session `s` (null while unknown), and the project `p` of the session or transcript. */
export function transcriptTables(sql: postgres.ISql) {
  return sql`
    transcripts t
    left join sessions k on k.public_id = t.session
    left join sessions s on s.id = coalesce(k.adopted_by, k.id)
    join projects p on p.id = coalesce(s.project_id, t.project_id)`;
}

/**
 * Columns of a `StoredTranscript`. The compaction's event is found in its session by the archive's id from notices, by
 * the compaction's own id, or by the hash of a notice without an id.
 */
export function transcriptColumns(sql: postgres.ISql) {
  return sql`
    t.id, t.public_id as "publicId", t.archive, t.state, t.reason, p.name as project,
    coalesce(s.public_id, t.session) as "sessionId", s.title as "sessionTitle",
    coalesce(s.key, t.session_key) as "sessionKey", (
      select jsonb_build_array(e.cause, e.detail -> 'state', e.detail -> 'reason') from events e
      where e.session_id = s.id and e.kind = 'compaction' and not e.retracted and (
        e.detail -> 'archives' ? t.archive::text or e.detail ->> 'boundary' = t.boundary
        or (t.archive is null and e.detail -> 'archive' ->> 'sha256' = t.sha256)
      )
      order by e.position desc limit 1
    ) as event, t.agent, t.trigger, t.version, t.at, t.format, t.file_name as "fileName", coalesce(t.host, s.host) as host,
    t.path, t.bytes, t.lines, t.messages, t.sha256, t.verified_at as "verifiedAt", t.secrets,
    t.deleted_at as "deletedAt"`;
}

export function transcriptConditions(sql: postgres.ISql, filter: ListTranscriptsParameters) {
  const { project, session, trigger, state, version, from, to, minBytes, maxBytes } = filter;
  return [
    inProjects(sql, 'p.id'),
    project && sql`p.name = any(${project})`,
    !!session?.trim() && ofSession(sql, session.trim()),
    trigger && sql`t.trigger = any(${trigger})`,
    state && sql`t.state = any(${state})`,
    version && sql`t.version = any(${version})`,
    from !== undefined && sql`t.at >= ${new Date(from)}`,
    to !== undefined && sql`t.at <= ${new Date(to)}`,
    minBytes !== undefined && sql`t.bytes >= ${minBytes}`,
    maxBytes !== undefined && sql`t.bytes <= ${maxBytes}`,
  ];
}

function ofSession(sql: postgres.ISql, session: string) {
  if (UUID.test(session)) return sql`coalesce(s.public_id, t.session) = ${session}`;
  return hasWords(sql, session, sql`concat_ws(' ', s.title, coalesce(s.key, t.session_key))`);
}

export function toTranscriptRow({ id: _key, publicId, event, ...row }: StoredTranscript): TranscriptRow {
  const [cause, stated, reason] = event ?? ['', null, null];
  const state = COMPACTION_STATES.find((name) => name === stated);
  return {
    ...row,
    id: publicId,
    eventId: event === null ? null : eventId(row.sessionId, cause, 'compaction'),
    compaction: state === undefined ? null : { state, reason },
    at: row.at.toISOString(),
    verifiedAt: row.verifiedAt?.toISOString() ?? null,
    deletedAt: row.deletedAt?.toISOString() ?? null,
  };
}

/**
 * A transcript with its `transcripts.id`; null: unknown id. A deleted transcript is a tombstone.
 * @param id the transcript's id, or the runner's id of the archive
 */
export async function loadTranscript(
  sql: postgres.ISql,
  id: string,
): Promise<{ key: number; transcript: TranscriptRow } | null> {
  if (!UUID.test(id)) return null;
  const [row] = await sql<StoredTranscript[]>`
    select ${transcriptColumns(sql)} from ${transcriptTables(sql)}
    where (t.public_id = ${id} or t.archive = ${id}) and ${inProjects(sql, 'p.id')}
    order by t.public_id = ${id} desc limit 1`;
  return row ? { key: row.id, transcript: toTranscriptRow(row) } : null;
}
