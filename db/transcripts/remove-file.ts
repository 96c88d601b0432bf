import type postgres from 'postgres';
import { packChunk, unpackChunk } from './pack-chunk';

/**
 * Removes a file, what was made from it, and every chunk that no other file of its project has. A chunk that shared
 * the bytes of one that goes gets bytes of its own first: nothing of a deleted transcript stays behind its end.
 * Under the lock of the project.
 */
export async function removeFile(tx: postgres.TransactionSql, transcriptId: number): Promise<void> {
  const parts = await tx<{ projectId: number; sha256: string }[]>`
    select distinct project_id as "projectId", encode(sha256, 'hex') as sha256
    from transcript_parts where transcript_id = ${transcriptId}`;
  await tx`delete from transcript_files where transcript_id = ${transcriptId}`;
  const projectId = parts[0]?.projectId;
  if (projectId === undefined) return;
  const hashes = parts.map(({ sha256 }) => sha256);
  const orphans = await tx<{ sha256: string; isBase: boolean }[]>`
    select encode(c.sha256, 'hex') as sha256, exists (
      select from transcript_chunks d where d.project_id = c.project_id and d.base = c.sha256
    ) as "isBase"
    from unnest(${hashes}::text[]) as h (sha256)
    join transcript_chunks c on c.project_id = ${projectId} and c.sha256 = decode(h.sha256, 'hex')
    where not exists (
      select from transcript_parts p where p.project_id = c.project_id and p.sha256 = c.sha256
    )`;
  for (const { sha256, isBase } of orphans) {
    if (isBase) await giveOwnBytes(tx, projectId, sha256);
  }
  await tx`
    delete from transcript_chunks c using unnest(${orphans.map(({ sha256 }) => sha256)}::text[]) as h (sha256)
    where c.project_id = ${projectId} and c.sha256 = decode(h.sha256, 'hex')`;
}

/** The longest chunk with a file of its own takes the bytes over, and the others share its. */
async function giveOwnBytes(tx: postgres.TransactionSql, projectId: number, base: string): Promise<void> {
  const [heir] = await tx<{ sha256: string; bytes: number; encoding: number; data: Buffer }[]>`
    select encode(c.sha256, 'hex') as sha256, c.bytes, b.encoding, b.data
    from transcript_chunks c
    join transcript_chunks b on b.project_id = c.project_id and b.sha256 = c.base
    where c.project_id = ${projectId} and c.base = decode(${base}, 'hex') and exists (
      select from transcript_parts p where p.project_id = c.project_id and p.sha256 = c.sha256
    )
    order by c.bytes desc limit 1`;
  if (!heir) return;
  const whole = await unpackChunk(heir);
  const { encoding, data } = await packChunk(whole.subarray(0, heir.bytes));
  await tx`
    update transcript_chunks set base = null, data = ${data}, encoding = ${encoding}, stored_bytes = ${data.length}
    where project_id = ${projectId} and sha256 = decode(${heir.sha256}, 'hex')`;
  await tx`
    update transcript_chunks set base = decode(${heir.sha256}, 'hex')
    where project_id = ${projectId} and base = decode(${base}, 'hex')`;
}
