/** Archives that lack a chunk which they had: their rows, the audit log and the pages of their sessions say so. */
import type postgres from 'postgres';
import { recordAudit } from './record-audit';
import { recordStoreEvent } from './record-store-event';
import { lockSession, touchSession } from './touch-session';

interface Lacking {
  id: number;
  session: string;
  state: string;
  parts: number;
  missing: number;
}

/**
 * Under the lock of the project, after the chunks were taken out.
 * @param hashes hexadecimal
 */
export async function markDamaged(
  tx: postgres.TransactionSql,
  projectId: number,
  hashes: readonly string[],
): Promise<void> {
  const rows = await tx<Lacking[]>`
    select t.id, t.session, t.state, f.parts, (
      select count(*)::int from transcript_parts p where p.transcript_id = t.id and not exists (
        select from transcript_chunks c where c.project_id = p.project_id and c.sha256 = p.sha256
      )
    ) as missing
    from transcripts t
    join transcript_files f on f.transcript_id = t.id
    left join sessions k on k.public_id = t.session
    where t.project_id = ${projectId} and t.state in ('stored', 'damaged') and exists (
      select from transcript_parts p join unnest(${[...hashes]}::text[]) as h (sha256) on p.sha256 = decode(h.sha256, 'hex')
      where p.transcript_id = t.id
    )
    order by coalesce(k.adopted_by, k.id), t.id`;
  for (const { id, session, state, parts, missing } of rows) {
    if (missing === 0) continue;
    const reason = `${missing} of its ${parts} ${parts === 1 ? 'chunk' : 'chunks'} went bad at rest; the next upload of the same bytes heals it`;
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
    await recordAudit(tx, {
      actor: 'store',
      action: 'transcript_damaged',
      transcriptId: id,
      detail: { reason },
    });
    await recordStoreEvent(tx, owner, { kind: 'archive_damaged', transcriptId: id, detail: { reason } });
  }
  await touchSession(tx, owner);
}
