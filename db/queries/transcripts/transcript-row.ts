import type postgres from 'postgres';
import {
  COMPACTION_STATES,
  type ListTranscriptsParameters,
  type TranscriptRow,
} from '../../../core/api/transcripts';
import { sessionId } from '../../../core/identity/session-id';
import { type HeldUpReads, NOTHING_HELD_UP } from '../../transcripts/held-up-reads';
import { hasWords } from '../conditions';
import { eventId } from '../event-row';

/** What ids of sessions and transcripts look like. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface StoredTranscript {
  id: number;
  publicId: string;
  archive: string | null;
  state: TranscriptRow['state'];
  reason: string | null;
  project: string;
  sessionId: string;
  sessionTitle: string | null;
  sessionKey: string;
  agent: string | null;
  /** Of the compaction's event: its cause, how the compaction stands, and why. */
  event: [cause: string, state: string | null, reason: string | null] | null;
  trigger: TranscriptRow['trigger'];
  version: TranscriptRow['version'];
  at: Date;
  format: TranscriptRow['format'];
  fileName: string | null;
  host: string | null;
  path: string | null;
  bytes: number | null;
  lines: number | null;
  messages: number | null;
  sha256: string | null;
  verifiedAt: Date | null;
  secrets: number | null;
  deletedAt: Date | null;
}

/**
 * Transcripts `t` of project `p`; `s` is the session they belong to by now, all null where none is known yet. With those
 * that nothing could be written of yet: as failed, which is what their rows will say first.
 */
export function transcriptTables(sql: postgres.ISql, heldUp: HeldUpReads = NOTHING_HELD_UP) {
  const offers = heldUp.offered();
  const tables =
    offers.length === 0
      ? sql`transcripts t join projects p on p.id = t.project_id`
      : sql`(${withoutRows(sql, offers)}) t cross join lateral (select t.project as name) p`;
  return sql`
    ${tables}
    left join sessions k on k.public_id = t.session
    left join sessions s on s.id = coalesce(k.adopted_by, k.id)`;
}

/** All transcripts, and behind them offers that have no row: their ids are below 0, and public ones those of the archives. */
function withoutRows(sql: postgres.ISql, offers: ReturnType<HeldUpReads['offered']>) {
  const columns = sql.unsafe(COLUMNS.map(([name]) => `t.${name}`).join(', '));
  const lines = offers.map(({ archive, offer }, index) => ({
    ...offer,
    id: -1 - index,
    public_id: archive,
    archive,
    session: sessionId(offer.project, offer.session),
    session_key: offer.session,
    state: 'failed',
    file_name: offer.fileName,
  }));
  return sql`
    select ${columns}, p.name as project from transcripts t join projects p on p.id = t.project_id
    union all
    select ${columns}, t.project
    from jsonb_to_recordset(${sql.json(lines)}) as t(${sql.unsafe(COLUMNS.map((column) => column.join(' ')).join(', '))}, project text)
    where not exists (select from transcripts known where known.archive = t.archive)`;
}

/** What a list reads of `transcripts`, and of an offer in its shape. */
const COLUMNS = [
  ['id', 'int'],
  ['public_id', 'uuid'],
  ['archive', 'uuid'],
  ['session', 'uuid'],
  ['session_key', 'text'],
  ['state', 'text'],
  ['reason', 'text'],
  ['trigger', 'text'],
  ['version', 'text'],
  ['boundary', 'text'],
  ['agent', 'text'],
  ['at', 'timestamptz'],
  ['file_name', 'text'],
  ['host', 'text'],
  ['path', 'text'],
  ['bytes', 'bigint'],
  ['lines', 'bigint'],
  ['sha256', 'text'],
  ['format', 'text'],
  ['messages', 'int'],
  ['secrets', 'int'],
  ['verified_at', 'timestamptz'],
  ['deleted_at', 'timestamptz'],
] as const;

/**
 * Columns of a `StoredTranscript`. The compaction's event is looked for in its session: by the archive's id, which
 * notices brought it; by the compaction's own id; or by the bytes that a notice without an id named.
 */
export function transcriptColumns(sql: postgres.ISql) {
  return sql`
    t.id, t.public_id as "publicId", t.archive, t.state, t.reason, p.name as project,
    coalesce(s.public_id, t.session) as "sessionId", s.title as "sessionTitle",
    coalesce(s.key, t.session_key) as "sessionKey", (
      select jsonb_build_array(e.cause, e.detail -> 'state', e.detail -> 'reason') from events e
      where e.month = s.month and e.session_id = s.id and e.kind = 'compaction' and not e.retracted and (
        e.detail -> 'archives' ? t.archive::text or e.detail ->> 'boundary' = t.boundary
        or (t.archive is null and e.detail -> 'archive' ->> 'sha256' = t.sha256)
      )
      order by e.position desc limit 1
    ) as event, t.agent, t.trigger, t.version, t.at, t.format, t.file_name as "fileName", coalesce(t.host, s.host) as host,
    t.path, t.bytes, t.lines, t.messages, t.sha256, t.verified_at as "verifiedAt", t.secrets,
    t.deleted_at as "deletedAt"`;
}

export function transcriptConditions(
  sql: postgres.ISql,
  {
    project,
    session,
    trigger,
    state,
    version,
    from,
    to,
    minBytes,
    maxBytes,
  }: Omit<ListTranscriptsParameters, 'q' | 'sort' | 'order' | 'cursor' | 'limit'>,
) {
  return [
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

export function toTranscriptRow(
  { publicId, event, ...row }: StoredTranscript,
  heldUp: HeldUpReads = NOTHING_HELD_UP,
): TranscriptRow {
  const { id: _key, at, verifiedAt, deletedAt, ...same } = row;
  return {
    ...same,
    id: publicId,
    eventId: event === null ? null : eventId(row.sessionId, event[0], 'compaction'),
    compaction: event === null ? null : toCompaction(event),
    at: at.toISOString(),
    verifiedAt: verifiedAt?.toISOString() ?? null,
    deletedAt: deletedAt?.toISOString() ?? null,
    heldUp: toHeldUp(row, heldUp),
  };
}

/** Only while it waits: what has come in, or was settled otherwise meanwhile, is no longer held up. */
function toHeldUp(
  { archive, state }: Pick<StoredTranscript, 'archive' | 'state'>,
  heldUp: HeldUpReads,
): TranscriptRow['heldUp'] {
  const held = archive === null ? null : heldUp.find(archive);
  const waits =
    state === 'announced' || state === 'uploading' || (state === 'failed' && held?.offer !== null);
  if (!held || !waits) return null;
  return {
    reason: held.reason,
    since: new Date(held.since).toISOString(),
    lastTriedAt: new Date(held.until).toISOString(),
    tries: held.times,
  };
}

function toCompaction([, state, reason]: NonNullable<
  StoredTranscript['event']
>): TranscriptRow['compaction'] {
  const known = COMPACTION_STATES.find((name) => name === state);
  return known === undefined ? null : { state: known, reason };
}
