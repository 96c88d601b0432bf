/**
 * The end of an upload: `stored` means that every byte was read back from the store and the file has the offered hash.
 * A repeated request verifies this again instead of trusting the row.
 */
import type postgres from 'postgres';
import type { TranscriptState } from '../../core/api/transcripts';
import { transact } from '../transact';
import { failUpload } from './fail-upload';
import type { IntakeRefusal } from './intake-limits';
import { writeDamage } from './mark-damaged';
import type { IntakeResult } from './offer-archive';
import { createReadBacks, type ReadBacks } from './read-back';
import { recordAudit } from './record-audit';
import { recordStoreEvent } from './record-store-event';
import { lockSession, touchSession } from './touch-session';
import { type FileStamp, lockProject, type TranscriptStore } from './transcript-store';

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
}

export interface CompleteOptions {
  /** Aborts the reading, which takes half a minute per gigabyte; the next call starts over. */
  signal?: AbortSignal;
  /** Earlier verifications of this process. */
  readBacks?: ReadBacks;
}

/**
 * @param archive a uuid; any number of calls at once do the same
 * @throws the signal's reason
 */
export async function completeArchive(
  sql: postgres.Sql,
  store: TranscriptStore,
  archive: string,
  { signal, readBacks = createReadBacks(store) }: CompleteOptions = {},
): Promise<IntakeResult> {
  const upload = await findUpload(sql, archive);
  const over = judge(upload);
  if (over || !upload) return over ?? unknown();
  if (upload.state !== 'stored') {
    const missing = await store.findMissing(upload.id);
    if (missing.length > 0) return uploading(upload, missing);
  }
  const read = await readBacks.read(upload, signal);
  switch (read.type) {
    case 'damaged':
    case 'gone':
      return reportProgress(sql, store, archive);
    case 'other': {
      const refusal = { status: 422, code: 'wrong_hash', field: 'sha256', reason: read.reason } as const;
      if (upload.state === 'uploading') {
        return refused(refusal, await failUpload(sql, store, upload.id, read.reason));
      }
      await markOther(sql, upload, read.reason);
      return refused(refusal, null);
    }
    case 'whole':
      if (upload.state === 'stored' && !read.isFresh) return stored(upload);
      return (await settle(sql, store, upload, read.stamp)) ?? reportProgress(sql, store, archive);
  }
}

/** Null: another process was first, or the row changed meanwhile. */
async function settle(
  sql: postgres.Sql,
  store: TranscriptStore,
  upload: Upload,
  stamp: FileStamp,
): Promise<IntakeResult | null> {
  const { id, projectId, session: owner, sha256, bytes, state: was } = upload;
  return transact(sql, async (tx): Promise<IntakeResult | null> => {
    await lockProject(tx, projectId);
    const session = await lockSession(tx, owner);
    // Chunks never change: if none is missing and the list is the same, the file is what was read.
    if ((await store.stamp(id, tx))?.parts !== stamp.parts) return null;
    if ((await store.findMissing(id, tx)).length > 0) return null;
    const [row] = await tx<{ verifiedAt: Date }[]>`
      update transcripts set state = 'stored', reason = null, verified_at = clock_timestamp(),
        changed_at = clock_timestamp()
      where id = ${id} and state = ${was} and sha256 is not distinct from ${sha256}
        and bytes is not distinct from ${bytes}
      returning verified_at as "verifiedAt"`;
    if (!row) return null;
    const result = stored({ ...upload, verifiedAt: row.verifiedAt });
    // Verified again: pages show no change.
    if (was === 'stored') return result;
    if (was === 'damaged') {
      // Retry content that could not be processed before.
      await tx`
        update transcript_contents set state = 'waiting', attempts = 0, reason = null
        where transcript_id = ${id} and state = 'failed'`;
      const action = 'transcript_healed';
      const detail = { was: upload.reason };
      await recordAudit(tx, { actor: 'store', action, transcriptId: id, detail });
      await recordStoreEvent(tx, session, { kind: 'archive_healed', transcriptId: id, detail });
    }
    return { ...result, touched: await touchSession(tx, session) };
  });
}

/** Every chunk has its hash but the file does not: the database was edited by hand. */
async function markOther(sql: postgres.Sql, upload: Upload, reason: string): Promise<void> {
  const { id, projectId, session, state } = upload;
  await transact(sql, async (tx) => {
    await lockProject(tx, projectId);
    await writeDamage(tx, { id, session, isNew: state === 'stored', reason });
  });
}

async function reportProgress(
  sql: postgres.Sql,
  store: TranscriptStore,
  archive: string,
): Promise<IntakeResult> {
  const upload = await findUpload(sql, archive);
  const over = judge(upload);
  if (over || !upload) return over ?? unknown();
  return upload.state === 'stored' ? stored(upload) : uploading(upload, await store.findMissing(upload.id));
}

async function findUpload(sql: postgres.Sql, archive: string): Promise<Upload | null> {
  const [row] = await sql<Upload[]>`
    select id, public_id as "publicId", archive, project_id as "projectId", session, state, reason, sha256, bytes,
      verified_at as "verifiedAt"
    from transcripts where archive = ${archive}`;
  return row ?? null;
}

/** Null: it is stored or uploading. */
function judge(upload: Upload | null): IntakeResult | null {
  if (!upload) return unknown();
  const { state, reason } = upload;
  if (state === 'uploading' || state === 'stored' || state === 'damaged') return null;
  if (state === 'deleted') {
    const why = `this transcript was deleted${reason ? `: ${reason}` : ''}`;
    return refused({ status: 410, code: 'deleted', field: 'archive', reason: why }, null);
  }
  return unknown();
}

function unknown(): IntakeResult {
  const reason = 'no upload has this id: offer the archive first';
  return refused({ status: 404, code: 'unknown_archive', field: 'archive', reason }, null);
}

function stored({ archive, publicId, verifiedAt }: Upload): IntakeResult {
  const at = verifiedAt?.toISOString() ?? null;
  const progress = { archive, id: publicId, state: 'stored' as const, missing: [], verifiedAt: at };
  return { type: 'taken', progress, touched: null };
}

function uploading({ archive, publicId }: Upload, missing: string[]): IntakeResult {
  const progress = { archive, id: publicId, state: 'uploading' as const, missing, verifiedAt: null };
  return { type: 'taken', progress, touched: null };
}

function refused(
  refusal: IntakeRefusal,
  touched: Extract<IntakeResult, { type: 'refused' }>['touched'],
): IntakeResult {
  return { type: 'refused', refusal, touched };
}
