/**
 * A transcript only grows, so the last chunk of one archive begins the chunk in the same place of the next. Once
 * the longer one is here the shorter needs no bytes of its own: archived ten times, a transcript costs once.
 */
import type postgres from 'postgres';
import { transact } from '../transact';
import { SpoiltBytesError, unpackChunk } from './pack-chunk';
import { hashOf } from './settle-chunks';
import { lockProject } from './transcript-store';

/** The newest of the session's other files, which are the ones that this one most likely begins like. */
const MOST_FILES = 32;
/** Pairs that are compared for one file; a session whose archives have nothing in common does not cost more and more. */
const MOST_PAIRS = 16;

interface Pair {
  projectId: number;
  /** Hexadecimal. */
  short: string;
  long: string;
}

/**
 * Compares the last chunks of the session's other files with this file's chunks, and this file's last chunk with
 * theirs. What does not match stays as it is.
 */
export async function shareBeginnings(sql: postgres.Sql, transcriptId: number): Promise<void> {
  const pairs = await sql<Pair[]>`
    with own as (
      select p.index, p.project_id, p.sha256, p.index = f.parts - 1 as is_end, t.session
      from transcripts t
      join transcript_files f on f.transcript_id = t.id
      join transcript_parts p on p.transcript_id = t.id
      where t.id = ${transcriptId}
    ), others as (
      select p.transcript_id, p.index, p.sha256, p.index = f.parts - 1 as is_end
      from (
        select t.id from (select distinct session, project_id from own) s
        join transcripts t on t.session = s.session and t.project_id = s.project_id and t.id <> ${transcriptId}
        join transcript_files f on f.transcript_id = t.id
        order by t.id desc limit ${MOST_FILES}
      ) t
      join transcript_files f on f.transcript_id = t.id
      join transcript_parts p on p.transcript_id = t.id and p.index <= (select max(index) from own)
    ), pairs as (
      select own.project_id, others.transcript_id, others.sha256 as short, own.sha256 as long
      from others join own on own.index = others.index where others.is_end
      union all
      select own.project_id, others.transcript_id, own.sha256, others.sha256
      from own join others on others.index = own.index where own.is_end
    )
    select x.project_id as "projectId", encode(x.short, 'hex') as short, encode(x.long, 'hex') as long
    from pairs x
    join transcript_chunks s on s.project_id = x.project_id and s.sha256 = x.short and s.base is null
    join transcript_chunks l on l.project_id = x.project_id and l.sha256 = x.long and l.bytes > s.bytes
    group by x.project_id, x.short, x.long
    order by max(x.transcript_id) desc, max(l.bytes) desc limit ${MOST_PAIRS}`;
  for (const pair of pairs) await share(sql, pair);
}

async function share(sql: postgres.Sql, { projectId, short, long }: Pair): Promise<void> {
  await transact(sql, async (tx) => {
    await lockProject(tx, projectId);
    const [found] = await tx<{ bytes: number; root: string; encoding: number; data: Buffer }[]>`
      select s.bytes, encode(r.sha256, 'hex') as root, r.encoding, r.data
      from transcript_chunks s
      join transcript_chunks l on l.project_id = s.project_id and l.sha256 = decode(${long}, 'hex') and l.bytes > s.bytes
      join transcript_chunks r on r.project_id = s.project_id and r.sha256 = coalesce(l.base, l.sha256)
      where s.project_id = ${projectId} and s.sha256 = decode(${short}, 'hex') and s.base is null
        and r.data is not null`;
    if (!found) return;
    const { bytes, root, encoding, data } = found;
    const whole = await unpackChunk({ encoding, data }).catch((error: unknown) => {
      // Whoever reads it next finds out what is left of it.
      if (error instanceof SpoiltBytesError) return null;
      throw error;
    });
    if (!whole || hashOf(whole.subarray(0, bytes)) !== short) return;
    await tx`
      update transcript_chunks set base = decode(${root}, 'hex')
      where project_id = ${projectId} and base = decode(${short}, 'hex')`;
    await tx`
      update transcript_chunks set base = decode(${root}, 'hex'), data = null, stored_bytes = 0
      where project_id = ${projectId} and sha256 = decode(${short}, 'hex') and base is null`;
  });
}
