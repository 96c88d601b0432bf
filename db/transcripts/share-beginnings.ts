/**
 * A transcript only grows, so the last chunk of one archive begins the chunk in the same place of the next. Once
 * the longer one is here the shorter needs no bytes of its own: archived ten times, a transcript costs once.
 */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { transact } from '../transact';
import { unpackChunk } from './pack-chunk';
import { lockProject } from './transcript-store';

interface Candidate {
  index: number;
  sha256: string;
  bytes: number;
}

/**
 * Compares the file's chunks with the last chunks of the session's other files, in both directions. What does not
 * match stays as it is.
 */
export async function shareBeginnings(sql: postgres.Sql, transcriptId: number): Promise<void> {
  const [file] = await sql<{ projectId: number; session: string; parts: number }[]>`
    select t.project_id as "projectId", t.session, f.parts
    from transcripts t join transcript_files f on f.transcript_id = t.id where t.id = ${transcriptId}`;
  if (!file || file.parts === 0) return;
  const ends = await lastChunks(sql, transcriptId, file.session);
  for (const end of ends) await shareWith(sql, file.projectId, end);
}

/** Chunks with bytes of their own that end a file of the session, and lie beside one of this file's, or are its own. */
function lastChunks(sql: postgres.Sql, transcriptId: number, session: string): Promise<Candidate[]> {
  return sql<Candidate[]>`
    select distinct p.index, encode(p.sha256, 'hex') as sha256, c.bytes
    from transcripts t
    join transcript_files f on f.transcript_id = t.id
    join transcript_parts p on p.transcript_id = f.transcript_id and p.index = f.parts - 1
    join transcript_chunks c on c.project_id = p.project_id and c.sha256 = p.sha256 and c.base is null
    where t.session = ${session} and exists (
      select from transcript_parts own where own.transcript_id = ${transcriptId} and own.index = p.index
    )
    order by c.bytes`;
}

async function shareWith(sql: postgres.Sql, projectId: number, end: Candidate): Promise<void> {
  await transact(sql, async (tx) => {
    await lockProject(tx, projectId);
    const longer = await tx<{ sha256: string; encoding: number; data: Buffer }[]>`
      select encode(b.sha256, 'hex') as sha256, b.encoding, b.data
      from transcript_chunks b
      where b.project_id = ${projectId} and b.base is null and b.bytes > ${end.bytes} and b.sha256 in (
        select p.sha256 from transcript_parts p
        join transcripts t on t.id = p.transcript_id
        where p.project_id = ${projectId} and p.index = ${end.index} and t.session = any (
          select o.session from transcript_parts q join transcripts o on o.id = q.transcript_id
          where q.project_id = ${projectId} and q.sha256 = decode(${end.sha256}, 'hex')
        )
      )
      order by b.bytes desc limit 4`;
    for (const { sha256, encoding, data } of longer) {
      const whole = await unpackChunk({ encoding, data }).catch(() => null);
      if (!whole) continue;
      const beginning = createHash('sha256').update(whole.subarray(0, end.bytes)).digest('hex');
      if (beginning !== end.sha256) continue;
      await tx`
        update transcript_chunks set base = decode(${sha256}, 'hex')
        where project_id = ${projectId} and base = decode(${end.sha256}, 'hex')`;
      await tx`
        update transcript_chunks set base = decode(${sha256}, 'hex'), data = null, stored_bytes = 0
        where project_id = ${projectId} and sha256 = decode(${end.sha256}, 'hex') and base is null`;
      return;
    }
  });
}
