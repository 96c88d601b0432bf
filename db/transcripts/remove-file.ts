import type postgres from 'postgres';
import { settleGroup } from './settle-chunks';

/**
 * Removes files, what was made from them, and every chunk that no other file of it has. A chunk that
 * shared the bytes of one that goes has bytes of its own by now (release-bases.ts), or gets them here: nothing of a
 * deleted transcript stays behind its end. Bytes that are spoilt keep nothing from being deleted. Under the lock of
 * their project.
 */
export async function removeFiles(
  tx: postgres.TransactionSql,
  transcriptIds: readonly number[],
): Promise<void> {
  const ids = [...transcriptIds];
  const parts = await tx<{ projectId: number; sha256: string }[]>`
    select distinct project_id as "projectId", encode(sha256, 'hex') as sha256
    from transcript_parts where transcript_id = any(${ids}::int[])`;
  await tx`delete from transcript_files where transcript_id = any(${ids}::int[])`;
  for (const projectId of new Set(parts.map((part) => part.projectId))) {
    const own = parts.filter((part) => part.projectId === projectId);
    await removeOrphans(
      tx,
      projectId,
      own.map(({ sha256 }) => sha256),
    );
  }
}

async function removeOrphans(
  tx: postgres.TransactionSql,
  projectId: number,
  hashes: readonly string[],
): Promise<void> {
  const orphans = await tx<{ sha256: string; isBase: boolean }[]>`
    select encode(c.sha256, 'hex') as sha256, exists (
      select from transcript_chunks d
      join transcript_parts p on p.project_id = d.project_id and p.sha256 = d.sha256
      where d.project_id = c.project_id and d.base = c.sha256
    ) as "isBase"
    from unnest(${[...hashes]}::text[]) as h (sha256)
    join transcript_chunks c on c.project_id = ${projectId} and c.sha256 = decode(h.sha256, 'hex')
    where not exists (
      select from transcript_parts p where p.project_id = c.project_id and p.sha256 = c.sha256
    )`;
  for (const { sha256, isBase } of orphans) if (isBase) await settleGroup(tx, projectId, sha256, true);
  await tx`
    delete from transcript_chunks c using unnest(${orphans.map(({ sha256 }) => sha256)}::text[]) as h (sha256)
    where c.project_id = ${projectId} and c.sha256 = decode(h.sha256, 'hex')`;
}
