/**
 * The end of an upload: `stored` means that every byte was read back and the file has the offered hash. A
 * repeated request verifies this again.
 */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { type ArchiveProgress, CHUNK_BYTES, type TranscriptState } from '../../core/api/transcripts';
import { inProjects, limitReads } from '../queries/limit-reads';
import { transact } from '../transact';
import { changeTranscript, lockProject } from './change-transcript';
import { ChunkDamagedError, findMissing, listParts, readFile, TranscriptGoneError } from './chunk-store';
import { failUpload } from './end-transcript';
import { deletedBefore, IntakeRefusal, unknownArchive } from './intake-limits';
import { markDamaged } from './mark-damaged';
import { recordAudit } from './record-audit';
import { recordStoreEvent } from './record-store-event';

interface Upload {
  id: number;
  publicId: string;
  archive: string;
  projectId: number;
  session: string;
  state: TranscriptState;
  reason: string | null;
  sha256: string | null;
  bytes: number | null;
  verifiedAt: Date | null;
  isFresh: boolean;
}

const FRESH_MINUTES = 10;

/**
 * @param archive a UUID; concurrent calls have the same effect
 * @param signal aborts the reading, which takes half a minute per gigabyte; the next call starts over
 * @throws IntakeRefusal; the signal's reason
 */
export async function completeArchive(
  sql: postgres.Sql,
  archive: string,
  signal?: AbortSignal,
): Promise<ArchiveProgress> {
  const upload = await findUpload(sql, archive);
  const progress = await progressOf(sql, upload);
  if (progress.missing.length > 0 || upload.isFresh) return progress;
  const parts = await listParts(sql, upload.id);
  const found = await readBack(sql, upload.id, signal);
  if (found && (found.bytes !== upload.bytes || found.sha256 !== upload.sha256)) {
    const reason = `the chunks make a file of ${found.bytes} bytes with SHA-256 ${found.sha256}, not the offered one`;
    if (upload.state === 'uploading') await failUpload(sql, upload.id, reason);
    else {
      // Every chunk matches its hash but the file does not, so the database was edited by hand.
      await transact(sql, async (tx) => {
        await lockProject(tx, upload.projectId);
        await markDamaged(tx, upload, reason);
      });
    }
    throw new IntakeRefusal(422, 'wrong_hash', 'sha256', reason);
  }
  if (found) await settle(sql, upload, parts);
  return progressOf(sql, await findUpload(sql, archive));
}

async function settle(sql: postgres.Sql, upload: Upload, parts: readonly string[]): Promise<void> {
  const { id, sha256, bytes, state: was } = upload;
  await changeTranscript(sql, id, async (tx, { session }) => {
    // Chunks never change. If no chunk is missing and the list is the same, the file equals the verified bytes.
    if (`${await listParts(tx, id)}` !== `${parts}` || (await findMissing(tx, id)).length > 0) return false;
    const settled = await tx`
      update transcripts set state = 'stored', reason = null, verified_at = clock_timestamp(),
        changed_at = clock_timestamp()
      where id = ${id} and state = ${was} and sha256 is not distinct from ${sha256}
        and bytes is not distinct from ${bytes}
      returning 1`;
    // Pages do not show a repeated verification.
    if (settled.length === 0 || was === 'stored') return false;
    if (was === 'damaged') {
      // Retry content that could not be processed before.
      await tx`
        update transcript_contents set state = 'waiting', attempts = 0, reason = null
        where transcript_id = ${id} and state = 'failed'`;
      const detail = { was: upload.reason };
      await recordAudit(tx, { actor: 'store', action: 'transcript_healed', transcriptId: id, detail });
      await recordStoreEvent(tx, session, { kind: 'archive_healed', transcriptId: id, detail });
    }
    return true;
  });
}

/** Null: chunks are damaged, or the file was deleted meanwhile. */
async function readBack(
  sql: postgres.Sql,
  id: number,
  signal: AbortSignal | undefined,
): Promise<{ bytes: number; sha256: string } | null> {
  const digest = createHash('sha256');
  let bytes = 0;
  let isDamaged = false;
  for (let isEnd = false; !isEnd; ) {
    try {
      for await (const part of readFile(sql, id, bytes)) {
        signal?.throwIfAborted();
        digest.update(part);
        bytes += part.length;
      }
      isEnd = true;
    } catch (error) {
      if (error instanceof TranscriptGoneError) return null;
      if (!(error instanceof ChunkDamagedError)) throw error;
      // Check the rest too, so that the runner learns of all missing chunks at once.
      isDamaged = true;
      bytes = (Math.floor(bytes / CHUNK_BYTES) + 1) * CHUNK_BYTES;
    }
  }
  return isDamaged ? null : { bytes, sha256: digest.digest('hex') };
}

async function findUpload(sql: postgres.Sql, archive: string): Promise<Upload> {
  const [upload] = await sql<Upload[]>`
    select id, public_id as "publicId", archive, project_id as "projectId", session, state, reason, sha256, bytes,
      verified_at as "verifiedAt",
      state = 'stored' and coalesce(verified_at > now() - make_interval(mins => ${FRESH_MINUTES}), false) as "isFresh"
    from transcripts where archive = ${archive} and ${inProjects(sql, 'project_id')}
    order by state <> 'uploading', id limit 1`;
  if (upload?.state === 'deleted') throw deletedBefore(upload.reason);
  if (!upload || !['uploading', 'stored', 'damaged'].includes(upload.state)) throw unknownArchive();
  return upload;
}

async function progressOf(
  sql: postgres.Sql,
  { id, publicId, archive, state, verifiedAt }: Upload,
): Promise<ArchiveProgress> {
  const same = { archive, id: publicId };
  if (state !== 'stored') {
    return { ...same, state: 'uploading', missing: await findMissing(sql, id), verifiedAt: null };
  }
  return { ...same, state, missing: [], verifiedAt: verifiedAt?.toISOString() ?? null };
}

const HEALED_AT_ONCE = 100;

/** Restore damaged archives after another upload added their missing chunks. @returns how many were restored */
export async function healDamaged(sql: postgres.Sql, signal?: AbortSignal): Promise<number> {
  const rows = await sql<{ archive: string; project: string }[]>`
    select t.archive, p.name as project from transcripts t join projects p on p.id = t.project_id
    where t.state = 'damaged' and t.archive is not null and not exists (
      select from transcript_parts p
      where p.transcript_id = t.id and not exists (
        select from transcript_chunks c where c.project_id = p.project_id and c.sha256 = p.sha256
      )
    )
    order by t.id limit ${HEALED_AT_ONCE}`;
  let healed = 0;
  for (const { archive, project } of rows) {
    const client = limitReads(sql, [project]);
    if ((await completeArchive(client, archive, signal).catch(skipRefusal))?.state === 'stored') healed += 1;
  }
  return healed;
}

function skipRefusal(error: unknown): null {
  if (error instanceof IntakeRefusal) return null;
  throw error;
}
