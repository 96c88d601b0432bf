/** Chunks that went bad at rest: remove them, so that they can be uploaded again, and mark every archive that has them. */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { SpoiltBytesError, unpackChunk } from './pack-chunk';
import { recordAudit } from './record-audit';
import { recordStoreEvent } from './record-store-event';
import { lockSession, touchSession } from './touch-session';

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface StoredChunk {
  sha256: string;
  encoding: number | null;
  data: Buffer | null;
}

/** The chunk's bytes; null: it is missing, or its bytes do not have its hash. */
export async function openChunk({ sha256, encoding, data }: StoredChunk): Promise<Buffer | null> {
  if (encoding === null || data === null) return null;
  try {
    const chunk = await unpackChunk({ encoding, data });
    return hashOf(chunk) === sha256 ? chunk : null;
  } catch (error) {
    if (error instanceof SpoiltBytesError) return null;
    throw error;
  }
}

/**
 * Read a chunk again, under the project's lock, because one failed read proves nothing. A chunk that is bad is removed,
 * and the archives that have it are marked.
 * @param sha256 of a chunk that could not be read, or is missing; hexadecimal
 */
export async function removeDamagedChunk(
  tx: postgres.TransactionSql,
  projectId: number,
  sha256: string,
): Promise<void> {
  const [chunk] = await tx<{ encoding: number; data: Buffer }[]>`
    select encoding, data from transcript_chunks
    where project_id = ${projectId} and sha256 = decode(${sha256}, 'hex')`;
  if (chunk) {
    if (await openChunk({ sha256, ...chunk })) return;
    await tx`
      delete from transcript_chunks where project_id = ${projectId} and sha256 = decode(${sha256}, 'hex')`;
  }
  await markDamaged(tx, projectId, sha256);
}

interface Damaged {
  id: number;
  session: string;
  state: string;
  parts: number;
  missing: number;
}

async function markDamaged(tx: postgres.TransactionSql, projectId: number, sha256: string): Promise<void> {
  const rows = await tx<Damaged[]>`
    select t.id, t.session, t.state, f.parts, (
      select count(*)::int from transcript_parts p where p.transcript_id = t.id and not exists (
        select from transcript_chunks c where c.project_id = p.project_id and c.sha256 = p.sha256
      )
    ) as missing
    from transcripts t
    join transcript_files f on f.transcript_id = t.id
    left join sessions k on k.public_id = t.session
    where t.project_id = ${projectId} and t.state in ('stored', 'damaged') and exists (
      select from transcript_parts p where p.transcript_id = t.id and p.sha256 = decode(${sha256}, 'hex')
    )
    order by coalesce(k.adopted_by, k.id), t.id`;
  for (const { id, session, state, parts, missing } of rows) {
    const chunks = `${missing} of its ${parts} ${parts === 1 ? 'chunk' : 'chunks'}`;
    const reason = `${chunks} went bad at rest; the next upload of the same bytes heals it`;
    await writeDamage(tx, { id, session, isNew: state === 'stored', reason });
  }
}

export async function writeDamage(
  tx: postgres.TransactionSql,
  { id, session, isNew, reason }: { id: number; session: string; isNew: boolean; reason: string },
): Promise<void> {
  const owner = await lockSession(tx, session);
  await tx`
    update transcripts set state = 'damaged', reason = ${reason}, changed_at = clock_timestamp()
    where id = ${id} and state in ('stored', 'damaged')`;
  if (isNew) {
    const detail = { reason };
    await recordAudit(tx, { actor: 'store', action: 'transcript_damaged', transcriptId: id, detail });
    await recordStoreEvent(tx, owner, { kind: 'archive_damaged', transcriptId: id, detail });
  }
  await touchSession(tx, owner);
}
