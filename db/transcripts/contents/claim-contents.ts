/**
 * The queue of stored transcripts to process. Workers claim files. Only the owner of a claim may write the content, and
 * extend or end the claim. Files with fewer attempts come first.
 */
import type postgres from 'postgres';

/** Increase the version to process all transcripts again. */
export const CONTENTS_VERSION = 8;
const MAX_ATTEMPTS = 3;
const CLAIM_SECONDS = 120;
/** Pause before a retry, multiplied by the number of tries. */
const PAUSE_SECONDS = 30;

export interface ClaimedTranscript {
  transcriptId: number;
  projectId: number;
  fileName: string;
  bytes: number;
  /** The summary of the last compaction, if the file ends with the compaction's line; null: not uploaded. */
  summary: string | null;
  owner: string;
}

/**
 * Queue new stored transcripts, then claim one. Null: the queue is empty.
 * @param owner a UUID of the reading worker
 */
export async function claimContents(
  sql: postgres.Sql,
  owner: string,
  maxBytes = Number.MAX_SAFE_INTEGER,
): Promise<ClaimedTranscript | null> {
  await sql`
    insert into transcript_contents (transcript_id, state, version)
    select f.transcript_id, 'waiting', ${CONTENTS_VERSION}
    from transcript_files f join transcripts t on t.id = f.transcript_id
    where t.state = 'stored'
      and not exists (select from transcript_contents c where c.transcript_id = f.transcript_id)
    order by f.transcript_id limit 1000
    on conflict do nothing`;
  await sql`
    update transcript_contents set state = 'failed', read_at = now(), claimed_by = null,
      reason = ${`the server's reader crashed on this file ${MAX_ATTEMPTS} times`}
    where state = 'reading' and claimed_until < now() and attempts >= ${MAX_ATTEMPTS}`;
  const [claimed] = await sql<ClaimedTranscript[]>`
    with next as (
      select c.transcript_id from transcript_contents c
      join transcript_files f on f.transcript_id = c.transcript_id and f.bytes <= ${maxBytes}
      where (c.state = 'waiting' and (c.claimed_until is null or c.claimed_until < now()))
        or (c.state = 'reading' and c.claimed_until < now())
        or (c.state in ('read', 'failed') and c.version < ${CONTENTS_VERSION})
      order by c.attempts, c.transcript_id limit 1 for update of c skip locked
    )
    update transcript_contents c
    set state = 'reading', reason = null, version = ${CONTENTS_VERSION}, claimed_by = ${owner},
      attempts = case when c.version < ${CONTENTS_VERSION} then 1 else c.attempts + 1 end,
      claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    from next
    join transcripts t on t.id = next.transcript_id
    join transcript_files f on f.transcript_id = t.id
    where c.transcript_id = next.transcript_id
    returning t.id as "transcriptId", t.project_id as "projectId", coalesce(t.file_name, '') as "fileName", f.bytes,
      f.summary, c.claimed_by as owner`;
  return claimed ?? null;
}

type Claim = Pick<ClaimedTranscript, 'transcriptId' | 'owner'>;

/** Extend a claim. False: the transcript was deleted, or another owner has it. */
export async function keepClaim(sql: postgres.Sql, { transcriptId, owner }: Claim): Promise<boolean> {
  const kept = await sql`
    update transcript_contents set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    where transcript_id = ${transcriptId} and state = 'reading' and claimed_by = ${owner} returning 1`;
  return kept.length > 0;
}

/**
 * End a claim. `released`: queued again without counting the try. `postponed`: retried later while tries are left.
 * `failed`: final.
 * @returns whether it failed
 */
export async function endClaim(
  sql: postgres.Sql,
  { transcriptId, owner }: Claim,
  how: 'released' | 'postponed' | 'failed',
  reason = '',
): Promise<boolean> {
  const cleaned = reason.replaceAll('\u0000', '').slice(0, 500);
  const fails = sql`(${how === 'failed'} or (${how === 'postponed'} and attempts >= ${MAX_ATTEMPTS}))`;
  const rows = await sql<{ state: string }[]>`
    update transcript_contents set
      state = case when ${fails} then 'failed' else 'waiting' end,
      reason = case when ${fails} then ${cleaned}::text end,
      read_at = case when ${fails} then now() end,
      attempts = greatest(0, attempts - ${how === 'released' ? 1 : 0}),
      claimed_until = case when ${how === 'postponed'} and not ${fails}
        then now() + attempts * make_interval(secs => ${PAUSE_SECONDS}) end,
      claimed_by = null
    where transcript_id = ${transcriptId} and state = 'reading' and claimed_by = ${owner}
    returning state`;
  return rows[0]?.state === 'failed';
}
