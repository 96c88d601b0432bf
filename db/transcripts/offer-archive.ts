/**
 * A runner's offer of an archive: a new row, or the row of its notice. Every refusal is made before a byte is sent, and
 * leaves a row with the reason.
 */
import type postgres from 'postgres';
import type { TranscriptSettings } from '../../core/api/transcript-settings';
import type { ArchiveOffer, ArchiveProgress, TranscriptState } from '../../core/api/transcripts';
import { sessionId } from '../../core/identity/session-id';
import type { TouchedSession } from '../ingest/types';
import { projectTranscripts } from '../queries/project-settings';
import { transact } from '../transact';
import { findExceeded, type IntakeRefusal } from './intake-limits';
import { lockSession, touchSession } from './touch-session';
import type { TranscriptStore } from './transcript-store';

export type IntakeResult =
  | { type: 'taken'; progress: ArchiveProgress; touched: TouchedSession | null }
  | { type: 'refused'; refusal: IntakeRefusal; touched: TouchedSession | null };

interface KnownRow {
  id: number;
  publicId: string;
  projectId: number;
  state: TranscriptState;
  reason: string | null;
  sha256: string | null;
  bytes: number | null;
  verifiedAt: Date | null;
}

/** Safe for concurrent offers of the same archive. */
export async function offerArchive(
  sql: postgres.Sql,
  store: TranscriptStore,
  offer: ArchiveOffer,
): Promise<IntakeResult> {
  await sql`insert into projects (name) values (${offer.project}) on conflict do nothing`;
  return transact(sql, async (tx) => {
    const [project] = await tx<{ id: number; settings: unknown }[]>`
      select id, settings from projects where name = ${offer.project} for no key update`;
    if (!project) throw new Error('a project that was made has a row');
    const publicId = sessionId(offer.project, offer.session);
    const session = await lockSession(tx, publicId);
    if (session?.isDeleted) {
      return refuse(410, 'session_deleted', 'session', 'this session was deleted');
    }
    const known = await findKnown(tx, project.id, publicId, offer);
    if (known?.projectId !== undefined && known.projectId !== project.id) {
      return refuse(409, 'archive_taken', 'archive', 'this id belongs to an archive of another project');
    }
    const settled = known ? judgeKnown(known, offer) : null;
    if (settled) return settled;
    const settings: TranscriptSettings = projectTranscripts(project.settings);
    const exceeded = isHere(known) ? null : await findExceeded(tx, store, project.id, settings, offer);
    const row = await writeRow(tx, { projectId: project.id, session: publicId, known, offer, exceeded });
    if (exceeded) {
      return { type: 'refused', refusal: exceeded, touched: await touchSession(tx, session) };
    }
    const { bytes, chunks } = offer;
    const file = { projectId: project.id, transcriptId: row.id, bytes, chunks };
    if (!(await hasChunks(tx, row.id, chunks))) await store.remove(tx, row.id);
    await store.open(tx, file);
    if (offer.summary != null) {
      await tx`update transcript_files set summary = ${offer.summary} where transcript_id = ${row.id}`;
    }
    const missing = await store.findMissing(row.id, tx);
    return {
      type: 'taken',
      progress: { archive: offer.archive, id: row.publicId, state: 'uploading', missing, verifiedAt: null },
      touched: isHere(known) ? null : await touchSession(tx, session),
    };
  });
}

/** Some bytes were accepted already, so limits no longer apply. */
function isHere(known: KnownRow | null): boolean {
  return known?.state === 'uploading' || known?.state === 'damaged';
}

/** The row with this id, or the session's notice of the same bytes without an id. */
async function findKnown(
  tx: postgres.TransactionSql,
  projectId: number,
  session: string,
  { archive, sha256 }: ArchiveOffer,
): Promise<KnownRow | null> {
  const columns = tx`id, public_id as "publicId", project_id as "projectId", state, reason, sha256, bytes,
    verified_at as "verifiedAt"`;
  const [named] = await tx<KnownRow[]>`
    select ${columns} from transcripts where archive = ${archive} for update`;
  if (named) return named;
  const [noticed] = await tx<KnownRow[]>`
    select ${columns} from transcripts
    where session = ${session} and project_id = ${projectId} and sha256 = ${sha256} and archive is null
      and state in ('announced', 'skipped', 'failed')
    order by id limit 1 for update`;
  return noticed ?? null;
}

/** Null: it may be uploaded. */
function judgeKnown(known: KnownRow, offer: ArchiveOffer): IntakeResult | null {
  const { state, reason } = known;
  if (state === 'deleted') {
    return refuse(410, 'deleted', 'archive', `this transcript was deleted${reason ? `: ${reason}` : ''}`);
  }
  const isOpen = state === 'failed' || state === 'skipped';
  const isSame =
    (known.sha256 ?? offer.sha256) === offer.sha256 && (known.bytes ?? offer.bytes) === offer.bytes;
  if (!isOpen && !isSame) {
    return refuse(409, 'archive_conflict', 'sha256', 'this id belongs to other bytes: use a new id');
  }
  if (state !== 'stored') return null;
  const { archive } = offer;
  const verifiedAt = known.verifiedAt?.toISOString() ?? null;
  return {
    type: 'taken',
    progress: { archive, id: known.publicId, state: 'stored', missing: [], verifiedAt },
    touched: null,
  };
}

function refuse(status: IntakeRefusal['status'], code: string, field: string, reason: string): IntakeResult {
  return { type: 'refused', refusal: { status, code, field, reason }, touched: null };
}

interface RowToWrite {
  projectId: number;
  session: string;
  known: KnownRow | null;
  offer: ArchiveOffer;
  exceeded: IntakeRefusal | null;
}

/** The offer's facts replace the notice's; facts only the notice has are kept. */
async function writeRow(
  tx: postgres.TransactionSql,
  { projectId, session, known, offer, exceeded }: RowToWrite,
): Promise<{ id: number; publicId: string }> {
  // A damaged archive stays damaged, with its reason, until it is read back.
  const isDamaged = known?.state === 'damaged';
  const state = exceeded ? 'failed' : isDamaged ? 'damaged' : 'uploading';
  const reason = exceeded?.reason ?? (isDamaged ? known.reason : null);
  const {
    archive,
    trigger,
    version,
    fileName,
    path,
    host,
    bytes,
    lines,
    sha256,
    boundary = null,
    agent = null,
  } = offer;
  const at = new Date(offer.at);
  const [row] = known
    ? await tx<{ id: number; publicId: string }[]>`
        update transcripts set archive = ${archive}, state = ${state}, reason = ${reason},
          trigger = coalesce(${trigger}::text, trigger), version = ${version},
          boundary = coalesce(${boundary}::text, boundary), agent = coalesce(${agent}::text, agent), at = ${at}, file_name = ${fileName},
          host = coalesce(${host}::text, host), path = coalesce(${path}::text, path), bytes = ${bytes},
          lines = ${lines}, sha256 = ${sha256}, changed_at = clock_timestamp()
        where id = ${known.id} returning id, public_id as "publicId"`
    : await tx<{ id: number; publicId: string }[]>`
        insert into transcripts (project_id, session, session_key, archive, state, reason, trigger, version, boundary,
          agent, at, file_name, host, path, bytes, lines, sha256)
        values (${projectId}, ${session}, ${offer.session}, ${archive}, ${state}, ${reason}, ${trigger}, ${version},
          ${boundary}, ${agent}, ${at}, ${fileName}, ${host}, ${path}, ${bytes}, ${lines}, ${sha256})
        returning id, public_id as "publicId"`;
  if (!row) throw new Error('a transcript that was written has a row');
  return row;
}

/** Whether the file was begun with these chunks: an earlier offer may have listed others. */
async function hasChunks(
  tx: postgres.TransactionSql,
  transcriptId: number,
  chunks: readonly string[],
): Promise<boolean> {
  const parts = await tx<{ sha256: string }[]>`
    select encode(sha256, 'hex') as sha256 from transcript_parts where transcript_id = ${transcriptId} order by index`;
  return parts.length === chunks.length && parts.every(({ sha256 }, index) => sha256 === chunks[index]);
}
