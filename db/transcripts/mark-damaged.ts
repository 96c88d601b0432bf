/** Damaged chunks: remove them, so that they can be uploaded again, and mark every archive that has them. */
import type postgres from 'postgres';
import { lockSession, touchSession } from './change-transcript';
import { deleteChunks, loadObject } from './chunk-objects';
import { openChunk } from './pack-chunk';
import { recordAudit } from './record-audit';
import { recordStoreEvent } from './record-store-event';

/**
 * Read a chunk again under the project's lock, because one failed read proves nothing. If the chunk is damaged, remove
 * the chunk and mark its archives.
 */
export async function removeDamagedChunk(
  tx: postgres.TransactionSql,
  projectId: number,
  sha256: string,
): Promise<void> {
  const isChunk = tx`c.project_id = ${projectId} and c.sha256 = decode(${sha256}, 'hex')`;
  const [chunk] = await tx<{ encoding: number; data: Buffer | null; address: string | null }[]>`
    select encoding, data, address from transcript_chunks c where ${isChunk}`;
  if (chunk && (await openChunk(await loadObject({ sha256, ...chunk })))) return;
  await deleteChunks(tx, isChunk);
  const rows = await tx<{ id: number; session: string; state: string; parts: number; missing: number }[]>`
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
  for (const { parts, missing, ...row } of rows) {
    const chunks = `${missing} of its ${parts} ${parts === 1 ? 'chunk' : 'chunks'}`;
    await markDamaged(tx, row, `${chunks} changed on disk; the next upload of the same bytes repairs it`);
  }
}

/** The caller holds the project's lock. */
export async function markDamaged(
  tx: postgres.TransactionSql,
  { id, session, state }: { id: number; session: string; state: string },
  reason: string,
): Promise<void> {
  const owner = await lockSession(tx, session);
  await tx`
    update transcripts set state = 'damaged', reason = ${reason}, changed_at = clock_timestamp()
    where id = ${id} and state in ('stored', 'damaged')`;
  if (state === 'stored') {
    const detail = { reason };
    await recordAudit(tx, { actor: 'store', action: 'transcript_damaged', transcriptId: id, detail });
    await recordStoreEvent(tx, owner, { kind: 'archive_damaged', transcriptId: id, detail });
  }
  await touchSession(tx, owner);
}
