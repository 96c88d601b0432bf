/** Which stored transcript is read next, and by whom: several processes share them out. */
import type postgres from 'postgres';

/** Raised when transcripts are to be read again: what is read from them changed. */
export const CONTENTS_VERSION = 1;
/** A file that ends the process that reads it must not do so for ever. */
const MAX_ATTEMPTS = 3;
/** How long a claim holds without a sign of life. */
const CLAIM_SECONDS = 120;

export interface ClaimedTranscript {
  transcriptId: number;
  projectId: number;
  fileName: string;
  bytes: number;
}

/** Makes stored transcripts known that nobody has read, then takes one that waits. Null: none does. */
export async function claimContents(sql: postgres.Sql): Promise<ClaimedTranscript | null> {
  await sql`
    insert into transcript_contents (transcript_id, state, version)
    select f.transcript_id, 'waiting', ${CONTENTS_VERSION}
    from transcript_files f join transcripts t on t.id = f.transcript_id
    where t.state = 'stored'
      and not exists (select from transcript_contents c where c.transcript_id = f.transcript_id)
    order by f.transcript_id limit 1000
    on conflict do nothing`;
  await sql`
    update transcript_contents set state = 'failed', read_at = now(),
      reason = ${`reading it ended the server's reader ${MAX_ATTEMPTS} times`}
    where state = 'reading' and claimed_until < now() and attempts >= ${MAX_ATTEMPTS}`;
  const [claimed] = await sql<ClaimedTranscript[]>`
    with next as (
      select transcript_id from transcript_contents
      where state = 'waiting' or (state = 'reading' and claimed_until < now())
        or (state in ('read', 'failed') and version < ${CONTENTS_VERSION})
      order by transcript_id limit 1 for update skip locked
    )
    update transcript_contents c
    set state = 'reading', reason = null, version = ${CONTENTS_VERSION},
      attempts = case when c.version < ${CONTENTS_VERSION} then 1 else c.attempts + 1 end,
      claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    from next
    join transcripts t on t.id = next.transcript_id
    join transcript_files f on f.transcript_id = t.id
    where c.transcript_id = next.transcript_id
    returning t.id as "transcriptId", t.project_id as "projectId", coalesce(t.file_name, '') as "fileName", f.bytes`;
  return claimed ?? null;
}

/** A sign of life. False: the transcript is gone. */
export async function keepClaim(sql: postgres.Sql, transcriptId: number): Promise<boolean> {
  const kept = await sql`
    update transcript_contents set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    where transcript_id = ${transcriptId} and state = 'reading' returning 1`;
  return kept.length > 0;
}

/** Reading it failed for good; the stored bytes stay. */
export async function failContents(sql: postgres.Sql, transcriptId: number, reason: string): Promise<void> {
  await sql`
    update transcript_contents set state = 'failed', reason = ${reason.replaceAll('\u0000', '').slice(0, 500)},
      read_at = now(), claimed_until = null
    where transcript_id = ${transcriptId}`;
}

/** Nothing was wrong with the file: another try counts as the first. */
export async function releaseContents(sql: postgres.Sql, transcriptId: number): Promise<void> {
  await sql`
    update transcript_contents set state = 'waiting', attempts = greatest(0, attempts - 1), claimed_until = null
    where transcript_id = ${transcriptId} and state = 'reading'`;
}
