/**
 * The end of an upload. "Stored" is said once every byte was read back from the store and the whole has the hash it
 * was offered with.
 */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import type { TranscriptState } from '../../core/api/transcripts';
import { transact } from '../transact';
import { failUpload } from './fail-upload';
import type { IntakeRefusal, IntakeResult } from './offer-archive';
import { lockSession, touchSession } from './touch-session';
import {
  ChunkDamagedError,
  lockProject,
  TranscriptGoneError,
  type TranscriptStore,
} from './transcript-store';

interface Upload {
  id: number;
  publicId: string;
  projectId: number;
  session: string;
  state: TranscriptState;
  reason: string | null;
  sha256: string | null;
  bytes: number | null;
  verifiedAt: Date | null;
}

/**
 * @param archive a uuid; any number of calls at once do the same
 * @param signal ends the reading, which takes half a minute for a gigabyte: nothing is lost, the next call begins anew
 * @throws the signal's reason
 */
export async function completeArchive(
  sql: postgres.Sql,
  store: TranscriptStore,
  archive: string,
  signal?: AbortSignal,
): Promise<IntakeResult> {
  const upload = await findUpload(sql, archive);
  const over = judge(upload, archive);
  if (over || !upload) return over ?? unknown();
  const missing = await store.findMissing(upload.id);
  if (missing.length > 0) return onItsWay(upload, archive, missing);
  // Before it is read back, so that what is read is what stays.
  await store.shareBeginnings(upload.id);
  const read = await readBack(store, upload, signal);
  switch (read.type) {
    case 'damaged':
      await store.dropDamaged(upload.id, read.sha256);
      return onItsWay(upload, archive, await store.findMissing(upload.id));
    case 'gone':
      return judge(await findUpload(sql, archive), archive) ?? unknown();
    case 'other': {
      const touched = await failUpload(sql, store, upload.id, read.reason);
      return refused({ status: 422, code: 'wrong_hash', field: 'sha256', reason: read.reason }, touched);
    }
    case 'whole':
      return settle(sql, store, upload, archive);
  }
}

type ReadBack =
  | { type: 'whole' }
  | { type: 'damaged'; sha256: string }
  | { type: 'gone' }
  /** The chunks are what they were offered as, and make another file. */
  | { type: 'other'; reason: string };

async function readBack(
  store: TranscriptStore,
  { id, sha256, bytes }: Upload,
  signal: AbortSignal | undefined,
): Promise<ReadBack> {
  const digest = createHash('sha256');
  let length = 0;
  try {
    for await (const part of store.read(id)) {
      signal?.throwIfAborted();
      digest.update(part);
      length += part.length;
    }
  } catch (error) {
    if (error instanceof ChunkDamagedError) return { type: 'damaged', sha256: error.sha256 };
    if (error instanceof TranscriptGoneError) return { type: 'gone' };
    throw error;
  }
  const found = digest.digest('hex');
  if (length === bytes && found === sha256) return { type: 'whole' };
  const reason = `the chunks make a file of ${length} bytes with SHA-256 ${found}, and not the one that was offered`;
  return { type: 'other', reason };
}

async function settle(
  sql: postgres.Sql,
  store: TranscriptStore,
  { id, projectId, session: owner }: Upload,
  archive: string,
): Promise<IntakeResult> {
  const settled = await transact(sql, async (tx): Promise<IntakeResult | null> => {
    await lockProject(tx, projectId);
    const session = await lockSession(tx, owner);
    // Chunks never change, so what was read is there if all of them are.
    if ((await store.findMissing(id, tx)).length > 0) return null;
    const [row] = await tx<{ publicId: string; verifiedAt: Date }[]>`
      update transcripts set state = 'stored', reason = null, verified_at = clock_timestamp(),
        changed_at = clock_timestamp()
      where id = ${id} and state = 'uploading'
        and exists (select from transcript_files f where f.transcript_id = id)
      returning public_id as "publicId", verified_at as "verifiedAt"`;
    if (!row) return null;
    const verifiedAt = row.verifiedAt.toISOString();
    const progress = { archive, id: row.publicId, state: 'stored' as const, missing: [], verifiedAt };
    return { type: 'taken', progress, touched: await touchSession(tx, session) };
  });
  if (settled) return settled;
  // Somebody else was first, or it was deleted meanwhile.
  const upload = await findUpload(sql, archive);
  const over = judge(upload, archive);
  if (over || !upload) return over ?? unknown();
  return onItsWay(upload, archive, await store.findMissing(upload.id));
}

async function findUpload(sql: postgres.Sql, archive: string): Promise<Upload | null> {
  const [row] = await sql<Upload[]>`
    select id, public_id as "publicId", project_id as "projectId", session, state, reason, sha256, bytes,
      verified_at as "verifiedAt"
    from transcripts where archive = ${archive}`;
  return row ?? null;
}

/** Null: it is on its way. */
function judge(upload: Upload | null, archive: string): IntakeResult | null {
  if (!upload) return unknown();
  const { state, reason, publicId } = upload;
  if (state === 'uploading') return null;
  if (state === 'stored') {
    const verifiedAt = upload.verifiedAt?.toISOString() ?? null;
    const progress = { archive, id: publicId, state, missing: [], verifiedAt };
    return { type: 'taken', progress, touched: null };
  }
  if (state === 'deleted') {
    const why = `this transcript was deleted${reason ? `: ${reason}` : ''}`;
    return refused({ status: 410, code: 'deleted', field: 'archive', reason: why }, null);
  }
  return unknown();
}

function unknown(): IntakeResult {
  const reason = 'no archive of this id is on its way: offer it first';
  return refused({ status: 404, code: 'unknown_archive', field: 'archive', reason }, null);
}

function onItsWay({ publicId }: Upload, archive: string, missing: string[]): IntakeResult {
  const progress = { archive, id: publicId, state: 'uploading' as const, missing, verifiedAt: null };
  return { type: 'taken', progress, touched: null };
}

function refused(
  refusal: IntakeRefusal,
  touched: Extract<IntakeResult, { type: 'refused' }>['touched'],
): IntakeResult {
  return { type: 'refused', refusal, touched };
}
