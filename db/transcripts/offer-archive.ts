/** A runner's offer of an archive: a new row, or the row of its notice. A refusal leaves a row with the reason. */
import postgres from 'postgres';
import type { ArchiveOffer, ArchiveProgress, TranscriptState } from '../../core/api/transcripts';
import { sessionId } from '../../core/identity/session-id';
import { projectTranscripts } from '../queries/project-settings';
import { transact } from '../transact';
import { lockSession, touchSession } from './change-transcript';
import { findMissing, listParts, openFile, removeFiles } from './chunk-store';
import { deletedBefore, findExceeded, IntakeRefusal } from './intake-limits';

interface KnownRow {
  id: number;
  publicId: string;
  projectId: number;
  session: string;
  state: TranscriptState;
  reason: string | null;
  sha256: string | null;
  bytes: number | null;
}

/**
 * Safe for concurrent offers.
 *
 * @param isBound whether the token may only write the project of the offer
 * @param maxOpen maximum number of unfinished uploads of the project
 * @throws IntakeRefusal
 */
export async function offerArchive(
  sql: postgres.Sql,
  offer: ArchiveOffer,
  isBound = false,
  maxOpen = Number.MAX_SAFE_INTEGER,
): Promise<ArchiveProgress> {
  try {
    return await placeOffer(sql, offer, isBound, maxOpen);
  } catch (error) {
    // While the session has no row to lock, a notice of this archive may be committed first.
    if (!(error instanceof postgres.PostgresError && error.code === '23505')) throw error;
    return placeOffer(sql, offer, isBound, maxOpen);
  }
}

async function placeOffer(
  sql: postgres.Sql,
  offer: ArchiveOffer,
  isBound: boolean,
  maxOpen: number,
): Promise<ArchiveProgress> {
  await sql`insert into projects (name) values (${offer.project}) on conflict do nothing`;
  const answer = await transact(sql, async (tx): Promise<ArchiveProgress | IntakeRefusal> => {
    // An archive keeps its project, even if its session moved meanwhile.
    const [project] = await tx<{ id: number; settings: unknown; own: number }[]>`
      select p.id, p.settings, o.id as own from projects o
      left join transcripts t on t.archive = ${offer.archive} and (t.project_id = o.id or not ${isBound}::boolean)
      join projects p on p.id = coalesce(t.project_id, o.id) where o.name = ${offer.project}
      order by p.id = o.id desc, t.id limit 1 for no key update of p`;
    if (!project) throw new Error('a project that was made has a row');
    const owner = sessionId(offer.project, offer.session, offer.client);
    const session = await lockSession(tx, owner);
    if (session?.isDeleted) {
      throw new IntakeRefusal(410, 'session_deleted', 'session', 'this session was deleted');
    }
    if (isBound && session && session.projectId !== project.own) throw notYours();
    const known = await findKnown(tx, project.id, owner, offer);
    if (known) refuseKnown(known, [project.own, owner], offer);
    const progress = { archive: offer.archive, missing: [], verifiedAt: null };
    if (known?.state === 'stored') return { ...progress, id: known.publicId, state: 'stored' };
    // Some bytes were accepted already, so limits no longer apply.
    const isHere = known?.state === 'uploading' || known?.state === 'damaged';
    const settings = projectTranscripts(project.settings);
    const place = { project_id: project.id, session: owner, session_key: offer.session };
    const exceeded = isHere ? null : await findExceeded(tx, project.id, settings, offer.bytes, maxOpen);
    const { id, publicId } = await writeRow(tx, place, offer, known, exceeded);
    if (!isHere) await touchSession(tx, session);
    // Returned, not thrown, so that the row with the reason is committed.
    if (exceeded) return exceeded;
    // An earlier offer may have listed other chunks.
    if (`${await listParts(tx, id)}` !== `${offer.chunks}`) await removeFiles(tx, [id]);
    const { bytes, chunks, summary = null } = offer;
    await openFile(tx, { projectId: project.id, transcriptId: id, bytes, chunks });
    if (summary !== null) {
      await tx`update transcript_files set summary = ${summary} where transcript_id = ${id}`;
    }
    return { ...progress, id: publicId, state: 'uploading', missing: await findMissing(tx, id) };
  });
  if (answer instanceof IntakeRefusal) throw answer;
  return answer;
}

function notYours(): IntakeRefusal {
  const reason = 'the token may only write other projects than that of this session';
  return new IntakeRefusal(403, 'not_yours', 'session', reason);
}

/** The row with this id, or the session's notice of the same bytes without an id. */
async function findKnown(
  tx: postgres.TransactionSql,
  project: number,
  session: string,
  { archive, sha256 }: ArchiveOffer,
): Promise<KnownRow | undefined> {
  const [known] = await tx<KnownRow[]>`
    select id, public_id as "publicId", project_id as "projectId", session, state, reason, sha256, bytes from transcripts
    where (archive = ${archive} and project_id = ${project}) or (
      session = ${session} and sha256 = ${sha256} and archive is null
      and state in ('announced', 'skipped', 'failed')
    )
    order by archive is null, id limit 1 for update`;
  return known;
}

function refuseKnown(
  { projectId, session, state, ...known }: KnownRow,
  own: [project: number, session: string],
  offer: ArchiveOffer,
): void {
  if (projectId !== own[0] && session !== own[1]) {
    const reason = 'this id belongs to an archive of another project';
    throw new IntakeRefusal(409, 'archive_taken', 'archive', reason);
  }
  if (state === 'deleted') throw deletedBefore(known.reason);
  if (state === 'failed' || state === 'skipped') return;
  if ((known.sha256 ?? offer.sha256) === offer.sha256 && (known.bytes ?? offer.bytes) === offer.bytes) return;
  const reason = 'this id belongs to other bytes: use a new id';
  throw new IntakeRefusal(409, 'archive_conflict', 'sha256', reason);
}

/** The offer's facts replace the facts of the notice. Facts that only the notice has are kept. */
async function writeRow(
  tx: postgres.TransactionSql,
  owner: { project_id: number; session: string; session_key: string },
  offer: ArchiveOffer,
  known: KnownRow | undefined,
  exceeded: IntakeRefusal | null,
): Promise<{ id: number; publicId: string }> {
  const { archive, version, bytes, lines, sha256, trigger, boundary, agent, path, host } = offer;
  // A damaged archive stays damaged, with its reason, until it is read back.
  const isDamaged = known?.state === 'damaged';
  const optional = Object.entries({ trigger, boundary, agent, path, host }).filter(([, value]) => value);
  const row = {
    archive,
    project_id: owner.project_id,
    state: exceeded ? 'failed' : isDamaged ? 'damaged' : 'uploading',
    reason: exceeded?.message ?? (isDamaged ? known.reason : null),
    version,
    at: new Date(offer.at),
    file_name: offer.fileName,
    bytes,
    lines,
    sha256,
    ...Object.fromEntries(optional),
  };
  const [written] = known
    ? await tx<{ id: number; publicId: string }[]>`
        update transcripts set ${tx(row)}, changed_at = clock_timestamp()
        where id = ${known.id} returning id, public_id as "publicId"`
    : await tx<{ id: number; publicId: string }[]>`
        insert into transcripts ${tx({ ...row, ...owner })}
        returning id, public_id as "publicId"`;
  if (!written) throw new Error('a transcript that was written has a row');
  return written;
}
