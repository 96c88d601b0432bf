/**
 * Before files are deleted: chunks of other files that share the bytes of chunks which go with them get bytes of their
 * own. It takes time to compress them, so it is done before the deletion and without any lock; each step is whole by
 * itself and changes nothing that is read. What changes meanwhile is put right in the deletion (settle-chunks.ts).
 */
import type postgres from 'postgres';
import { transact } from '../transact';
import { packChunk, SpoiltBytesError, unpackChunk } from './pack-chunk';
import { hashOf, settleGroup } from './settle-chunks';
import { lockProject } from './transcript-store';

interface Base {
  projectId: number;
  /** Hexadecimal. */
  root: string;
  /** The longest chunk that other files have of its bytes. */
  heir: string;
  bytes: number;
}

export async function releaseBases(sql: postgres.Sql, transcriptIds: readonly number[]): Promise<void> {
  const ids = [...transcriptIds];
  const bases = await sql<Base[]>`
    select c.project_id as "projectId", encode(c.sha256, 'hex') as root, encode(heir.sha256, 'hex') as heir, heir.bytes
    from (
      select distinct project_id, sha256 from transcript_parts where transcript_id = any(${ids}::int[])
    ) own
    join transcript_chunks c on c.project_id = own.project_id and c.sha256 = own.sha256
    cross join lateral (
      select d.sha256, d.bytes from transcript_chunks d
      where d.project_id = c.project_id and d.base = c.sha256 and exists (
        select from transcript_parts p
        where p.project_id = d.project_id and p.sha256 = d.sha256 and p.transcript_id <> all(${ids}::int[])
      )
      order by d.bytes desc limit 1
    ) heir
    where not exists (
      select from transcript_parts p
      where p.project_id = c.project_id and p.sha256 = c.sha256 and p.transcript_id <> all(${ids}::int[])
    )`;
  for (const base of bases) await release(sql, base);
}

async function release(sql: postgres.Sql, { projectId, root, heir, bytes }: Base): Promise<void> {
  const own = await cutOwn(sql, { projectId, root, heir, bytes });
  if (own === 'changed') return;
  if (own === 'spoilt') {
    await transact(sql, async (tx) => {
      await lockProject(tx, projectId);
      await settleGroup(tx, projectId, root, false);
    });
    return;
  }
  const { encoding, data } = await packChunk(own);
  await transact(sql, async (tx) => {
    await lockProject(tx, projectId);
    const given = await tx`
      update transcript_chunks set base = null, data = ${data}, encoding = ${encoding}, stored_bytes = ${data.length}
      where project_id = ${projectId} and sha256 = decode(${heir}, 'hex') and base = decode(${root}, 'hex')
      returning 1`;
    if (given.length === 0) return;
    await tx`
      update transcript_chunks set base = decode(${heir}, 'hex')
      where project_id = ${projectId} and base = decode(${root}, 'hex') and bytes < ${bytes}`;
  });
}

async function cutOwn(
  sql: postgres.Sql,
  { projectId, root, heir, bytes }: Base,
): Promise<Buffer | 'changed' | 'spoilt'> {
  const [packed] = await sql<{ encoding: number; data: Buffer }[]>`
    select encoding, data from transcript_chunks
    where project_id = ${projectId} and sha256 = decode(${root}, 'hex') and data is not null`;
  if (!packed) return 'changed';
  try {
    const own = (await unpackChunk(packed)).subarray(0, bytes);
    return hashOf(own) === heir ? own : 'spoilt';
  } catch (error) {
    if (error instanceof SpoiltBytesError) return 'spoilt';
    throw error;
  }
}
