/** What a compaction dropped: the archive compared with the context that followed. */
import type postgres from 'postgres';
import type { TranscriptLost } from '../../../core/api/transcript-lost';
import type { Loss } from '../../../core/transcript/losses';
import { readRange } from '../chunk-store';
import { type ContentsRow, findChains } from './load-contents';
import { toCompaction, unpackJson } from './outline-pages';

type Candidate = Pick<ContentsRow, 'transcriptId' | 'publicId' | 'at'>;
type FoundLoss = Candidate & { loss: Loss };

const MAX_CANDIDATES = 20;
/** Maximum difference between the times of the event and of its line in the file, ms. */
const SAME_MS = 1_500;
/** Number of bytes before the archive's end that a later archive must share. */
const SHARED_BYTES = 16 * 1024;

/** @param at time of the compaction, ms since the epoch; default: the last compaction, or the one after the archive */
export async function loadLost(sql: postgres.Sql, row: ContentsRow, at?: number): Promise<TranscriptLost> {
  const answer = { id: row.publicId, state: row.state, reason: row.reason, foundIn: null, lost: null };
  if (row.state !== 'read') return answer;
  const found = await findLoss(sql, row, at);
  if (found === null) return answer;
  const { compaction, tokens, ...loss } = found.loss;
  return {
    ...answer,
    foundIn: { id: found.publicId, at: found.at.toISOString() },
    lost: {
      ...loss,
      tokens: { ...tokens, after: tokens.after ?? (await firstReadingAfter(sql, row.transcriptId)) },
      compaction: toCompaction(compaction),
    },
  };
}

/**
 * A completed archive ends with the line of its compaction. Only a later archive has the context after that line, but
 * this archive may have the summary.
 */
async function findLoss(sql: postgres.Sql, row: ContentsRow, at?: number): Promise<FoundLoss | null> {
  const entry = at === undefined ? null : await compactionNear(sql, row, at);
  if (entry === null && row.version !== 'completed') return firstFrom(sql, row, row.bytes ?? 0);
  const [last] = await sql<{ fromByte: number; data: Buffer }[]>`
    select from_byte as "fromByte", data from transcript_losses
    where transcript_id = ${row.transcriptId} and (${entry}::int is null or entry = ${entry})
    order by entry desc limit 1`;
  if (!last) return null;
  const own = { ...row, loss: unpackJson<Loss>(last.data) };
  if (own.loss.summary !== null && own.loss.tokens.after !== null) return own;
  const later = await firstFrom(sql, row, last.fromByte);
  return later?.loss.compaction.entry === own.loss.compaction.entry ? later : own;
}

/**
 * Entry of the compaction nearest to `at`. Null: no times, or a compaction after the end of a copy made at the hook.
 */
async function compactionNear(sql: postgres.Sql, row: ContentsRow, at: number): Promise<number | null> {
  const { compactions } = await findChains(sql, row);
  const timed = compactions.flatMap((each) => (each.at === null ? [] : { ...each, at: each.at * 1_000 }));
  const last = timed.at(-1);
  if (last === undefined || (row.version === 'hook' && at > last.at + SAME_MS)) return null;
  const distance = (each: { at: number }) => Math.abs(each.at - at);
  return timed.reduce((best, each) => (distance(each) < distance(best) ? each : best)).entry;
}

/** The first reading reported after the compaction. Used if no archive contains the context after the compaction. */
async function firstReadingAfter(sql: postgres.Sql, transcriptId: number): Promise<number | null> {
  const [row] = await sql<{ reading: unknown }[]>`
    select e.detail -> 'firstReading' as reading
    from transcripts t
    join sessions k on k.public_id = t.session
    join sessions s on s.id = coalesce(k.adopted_by, k.id)
    join events e on e.session_id = s.id and e.kind = 'compaction' and not e.retracted
      and (e.detail -> 'archives' ? t.archive::text or e.detail ->> 'boundary' = t.boundary)
    where t.id = ${transcriptId} and e.detail ->> 'state' = 'confirmed'
      and not e.detail ? 'firstReadingEstimated'
    order by e.position desc limit 1`;
  return typeof row?.reading === 'number' ? row.reading : null;
}

/**
 * Finds the first boundary at or after byte `from` in another archive of the session that begins with the same bytes.
 */
async function firstFrom(sql: postgres.Sql, row: ContentsRow, from: number): Promise<FoundLoss | null> {
  const end = row.bytes ?? 0;
  const candidates = await sql<(Candidate & { data: Buffer })[]>`
    select t.id as "transcriptId", t.public_id as "publicId", t.at, l.data
    from transcripts t
    join transcript_contents c on c.transcript_id = t.id and c.state = 'read'
    cross join lateral (
      select data, from_byte from transcript_losses l
      where l.transcript_id = t.id and l.from_byte >= ${from} order by l.entry limit 1
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
  const own = await readRange(sql, row.transcriptId, start, end);
  for (const candidate of candidates) {
    const theirs = await readRange(sql, candidate.transcriptId, start, end);
    if (own.equals(theirs)) return { ...candidate, loss: unpackJson<Loss>(candidate.data) };
  }
  return null;
}
