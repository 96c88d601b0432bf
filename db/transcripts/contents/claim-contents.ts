/**
 * Which stored transcript is read next, and by whom. Several processes share them out: a claim has an owner, and only
 * its owner writes, keeps or ends it. Files that were never tried come before those whose reading failed.
 */
import type postgres from 'postgres';

/** Raised when transcripts are to be read again: what is read from them changed. */
export const CONTENTS_VERSION = 4;
/** A file that ends whoever reads it must not do so for ever. */
export const MAX_ATTEMPTS = 3;
/** How long a claim holds without a sign of life. */
const CLAIM_SECONDS = 120;
/** Before another try of a file whose reading failed, for each try so far. */
const PAUSE_SECONDS = 30;

export interface ClaimedTranscript {
  transcriptId: number;
  projectId: number;
  fileName: string;
  bytes: number;
  /** What the client wrote behind the last compaction, where the file ends with its line; null: not handed over. */
  summary: string | null;
  /** The owner of the claim. */
  owner: string;
}

export interface ClaimOptions {
  /** A UUID of the process, or of the part of it, that will read. */
  owner: string;
  /** Takes files of so many bytes at most. Default: of any size. */
  maxBytes?: number;
}

/** Makes stored transcripts known that nobody has read, then takes one that waits. Null: none does. */
export async function claimContents(
  sql: postgres.Sql,
  { owner, maxBytes = Number.MAX_SAFE_INTEGER }: ClaimOptions,
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
      reason = ${`reading it ended the server's reader ${MAX_ATTEMPTS} times`}
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

/** A sign of life. False: the transcript is gone, or somebody else's. */
export async function keepClaim(sql: postgres.Sql, { transcriptId, owner }: Claim): Promise<boolean> {
  const kept = await sql`
    update transcript_contents set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    where transcript_id = ${transcriptId} and state = 'reading' and claimed_by = ${owner} returning 1`;
  return kept.length > 0;
}

/** Reading it failed for good; the stored bytes stay. */
export async function failContents(
  sql: postgres.Sql,
  { transcriptId, owner }: Claim,
  reason: string,
): Promise<void> {
  await sql`
    update transcript_contents set state = 'failed', reason = ${cleanReason(reason)}, read_at = now(),
      claimed_until = null, claimed_by = null
    where transcript_id = ${transcriptId} and state = 'reading' and claimed_by = ${owner}`;
}

/** Nothing was wrong with the file: another try counts as the first. */
export async function releaseContents(sql: postgres.Sql, { transcriptId, owner }: Claim): Promise<void> {
  await sql`
    update transcript_contents set state = 'waiting', attempts = greatest(0, attempts - 1), claimed_until = null,
      claimed_by = null
    where transcript_id = ${transcriptId} and state = 'reading' and claimed_by = ${owner}`;
}

/**
 * It may have been the file: it is tried again behind the others, and fails with the reason when no try is left.
 * True: it failed.
 */
export async function postponeContents(
  sql: postgres.Sql,
  { transcriptId, owner }: Claim,
  reason: string,
): Promise<boolean> {
  const rows = await sql<{ state: string }[]>`
    update transcript_contents set
      state = case when attempts >= ${MAX_ATTEMPTS} then 'failed' else 'waiting' end,
      reason = case when attempts >= ${MAX_ATTEMPTS} then ${cleanReason(reason)}::text end,
      read_at = case when attempts >= ${MAX_ATTEMPTS} then now() end,
      claimed_until = case when attempts < ${MAX_ATTEMPTS}
        then now() + attempts * make_interval(secs => ${PAUSE_SECONDS}) end,
      claimed_by = null
    where transcript_id = ${transcriptId} and state = 'reading' and claimed_by = ${owner}
    returning state`;
  return rows[0]?.state === 'failed';
}

const cleanReason = (reason: string): string => reason.replaceAll('\u0000', '').slice(0, 500);
