/** The archive against the context that followed it. */
import type postgres from 'postgres';
import type { TranscriptLost } from '../../../core/api/transcript-contents';
import type { Loss } from '../../../core/transcript/losses';
import type { TranscriptStore } from '../transcript-store';
import type { ContentsRow } from './find-contents';
import { collect } from './load-messages';
import { unpackJson } from './pack-json';
import { toCompaction } from './shape-outline';

interface Candidate {
  transcriptId: number;
  publicId: string;
  at: Date;
  data: Buffer;
}

/** Archives that may have what followed, looked at one by one. */
const MAX_CANDIDATES = 20;
/** Bytes before the archive's end that a later file must share. */
const SHARED_BYTES = 16 * 1024;

export async function loadLost(
  sql: postgres.Sql,
  store: Pick<TranscriptStore, 'read'>,
  row: ContentsRow,
): Promise<TranscriptLost> {
  const answer = { id: row.publicId, state: row.state, reason: row.reason, foundIn: null, lost: null };
  if (row.state !== 'read') return answer;
  const found = row.version === 'completed' ? await lastOwn(sql, row) : await firstAfter(sql, store, row);
  if (found === null) return answer;
  const { compaction, gone, ...loss } = unpackJson<Loss>(found.data);
  return {
    ...answer,
    foundIn: { id: found.publicId, at: found.at.toISOString() },
    // One that was read by older rules, and waits to be read again, knows no bytes by kind.
    lost: {
      ...loss,
      gone: { ...gone, kindBytes: gone.kindBytes ?? {} },
      compaction: toCompaction(compaction),
    },
  };
}

/** A completed archive ends with its own compaction. */
async function lastOwn(
  sql: postgres.Sql,
  { transcriptId, publicId, at }: ContentsRow,
): Promise<Candidate | null> {
  const [last] = await sql<{ data: Buffer }[]>`
    select data from transcript_losses where transcript_id = ${transcriptId} order by entry desc limit 1`;
  return last ? { transcriptId, publicId, at, data: last.data } : null;
}

/**
 * The first boundary behind this archive's end, in an archive of the session that goes on where it ends. Of several the
 * one that knows most: what the first call after the compaction read is known only to a later one.
 */
async function firstAfter(
  sql: postgres.Sql,
  store: Pick<TranscriptStore, 'read'>,
  row: ContentsRow,
): Promise<Candidate | null> {
  const end = row.bytes ?? 0;
  const candidates = await sql<Candidate[]>`
    select t.id as "transcriptId", t.public_id as "publicId", t.at, l.data
    from transcripts t
    join transcript_contents c on c.transcript_id = t.id and c.state = 'read'
    cross join lateral (
      select data, from_byte from transcript_losses l
      where l.transcript_id = t.id and l.from_byte >= ${end} order by l.entry limit 1
    ) l
    left join sessions k on k.public_id = t.session
    left join sessions s on s.id = coalesce(k.adopted_by, k.id)
    where coalesce(s.public_id, t.session) = (
      select coalesce(s.public_id, ${row.session}) from (select) x
      left join sessions k on k.public_id = ${row.session}
      left join sessions s on s.id = coalesce(k.adopted_by, k.id)
    ) and t.id <> ${row.transcriptId} and c.bytes > ${end}
    order by l.from_byte, c.bytes desc limit ${MAX_CANDIDATES}`;
  if (candidates.length === 0) return null;
  const start = Math.max(0, end - SHARED_BYTES);
  const own = await collect(store.read(row.transcriptId, start, end));
  for (const candidate of candidates) {
    const theirs = await collect(store.read(candidate.transcriptId, start, end));
    if (own.equals(theirs)) return candidate;
  }
  return null;
}
