/**
 * Write processed content: segments while reading, the rest at the end. Each transaction checks the claim, so
 * that nothing is written for a transcript that was deleted or claimed by another process.
 */
import type postgres from 'postgres';
import { ownerOf } from '../../access';
import { toJsonText } from '../../json-text';
import { transact } from '../../transact';
import { lockProject } from '../change-transcript';
import { TranscriptGoneError } from '../chunk-store';
import type { ClaimedTranscript } from './claim-contents';
import type { PackedContents, PackedSegment } from './pack-contents';

const ROWS_PER_STATEMENT = 200;
const SECRETS_PER_STATEMENT = 5_000;

const DERIVED = ['transcript_segment_uses', 'transcript_pages', 'transcript_secrets', 'transcript_losses'];

/** Remove the results of an earlier reading. */
export function clearContents(sql: postgres.Sql, claimed: ClaimedTranscript): Promise<void> {
  return inProject(sql, claimed, 'whole', async (tx) => {
    for (const table of DERIVED) {
      await tx`delete from ${tx(table)} where transcript_id = ${claimed.transcriptId}`;
    }
  });
}

/**
 * Write segments. A segment that another archive of the project has is only referenced.
 * @param place number of the first segment in the transcript
 */
export async function writeSegments(
  sql: postgres.Sql,
  claimed: ClaimedTranscript,
  place: number,
  segments: readonly PackedSegment[],
): Promise<void> {
  if (segments.length === 0) return;
  const { projectId, transcriptId } = claimed;
  const hashes = segments.map(({ sha256 }) => sha256);
  await inProject(sql, claimed, 'part', async (tx) => {
    const known = await tx<{ hash: string }[]>`
      select h.hash from unnest(${hashes}::text[]) as h (hash)
      where exists (
        select from transcript_segments where project_id = ${projectId} and sha256 = decode(h.hash, 'hex')
      )`;
    const fresh = new Map(segments.map((segment) => [segment.sha256, segment]));
    for (const { hash } of known) fresh.delete(hash);
    const rows = [...fresh.values()].map(({ terms, body, sha256 }) => {
      return { project_id: projectId, sha256: Buffer.from(sha256, 'hex'), terms, body };
    });
    if (rows.length > 0) await tx`insert into transcript_segments ${tx(rows)}`;
    await tx`
      insert into transcript_segment_uses (transcript_id, place, segment_id, first_entry, first_line)
      select ${transcriptId}::int, ${place}::int + u.i::int - 1, s.id, u.first_entry, u.first_line
      from unnest(
        ${hashes}::text[], ${segments.map(({ firstEntry }) => firstEntry)}::int[],
        ${segments.map(({ firstLine }) => firstLine)}::int[]
      ) with ordinality as u (hash, first_entry, first_line, i)
      join transcript_segments s on s.project_id = ${projectId} and s.sha256 = decode(u.hash, 'hex')`;
  });
}

/** Write the rest in parts, to hold the lock briefly. Readers see nothing until the state is `read`. */
export async function finishContents(
  sql: postgres.Sql,
  claimed: ClaimedTranscript,
  { pages, losses, secrets, ...outline }: PackedContents,
  onPart: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { transcriptId } = claimed;
  const write = async <T>(
    rows: readonly T[],
    size: number,
    insert: (tx: postgres.TransactionSql, part: readonly T[]) => PromiseLike<unknown>,
  ) => {
    for (let first = 0; first < rows.length; first += size) {
      const part = rows.slice(first, first + size);
      await inProject(sql, claimed, 'part', (tx) => insert(tx, part));
      await onPart();
    }
  };
  const pageRows = pages.map((data, page) => ({ transcript_id: transcriptId, page, data }));
  await write(pageRows, ROWS_PER_STATEMENT, (tx, rows) => tx`insert into transcript_pages ${tx(rows)}`);
  const lossRows = losses.map(({ entry, fromByte, data }) => {
    return { transcript_id: transcriptId, entry, from_byte: fromByte, data };
  });
  await write(lossRows, ROWS_PER_STATEMENT, (tx, rows) => tx`insert into transcript_losses ${tx(rows)}`);
  await write(
    secrets,
    SECRETS_PER_STATEMENT,
    (tx, rows) => tx`
      insert into transcript_secrets (transcript_id, secret, entry, line, from_byte, to_byte, rule)
      select ${transcriptId}, r.secret, r.entry, r.line, r."from", r."to", r.rule
      from jsonb_to_recordset(${toJsonText(rows)}::text::jsonb)
        as r (secret int, entry int, line int, "from" bigint, "to" bigint, rule text)`,
  );
  const count = new Set(secrets.map(({ secret }) => secret)).size;
  const { format, bytes, lines, entries, messages, window, boundaries, chains, compactions } = outline;
  await inProject(sql, claimed, 'whole', async (tx) => {
    await tx`
      update transcript_contents set state = 'read', reason = null, claimed_until = null, claimed_by = null,
        read_at = now(), format = ${format}, bytes = ${bytes}, lines = ${lines}, entries = ${entries},
        messages = ${messages}, "window" = ${window}, secrets = ${count}, boundaries = ${boundaries},
        chains = ${toJsonText(chains)}::text::jsonb, compactions = ${toJsonText(compactions)}::text::jsonb
      where transcript_id = ${transcriptId}`;
    await tx`
      update transcripts set format = ${format}, messages = ${messages}, secrets = ${count}
      where id = ${transcriptId}`;
  });
  // Merge the index's pending list now, because searches would scan it. Only the index's owner may do this.
  await ownerOf(sql)`select gin_clean_pending_list('transcript_segments_terms')`;
}

/**
 * @param as `part`: the write need not be durable, because the file is read again after a crash. A large pending list
 * saves two thirds of the cost of the index.
 */
async function inProject(
  sql: postgres.Sql,
  { projectId, transcriptId, owner }: ClaimedTranscript,
  as: 'part' | 'whole',
  work: (tx: postgres.TransactionSql) => PromiseLike<unknown>,
): Promise<void> {
  await transact(sql, async (tx) => {
    if (as === 'part') {
      await tx`
        select set_config('synchronous_commit', 'off', true), set_config('work_mem', '64MB', true),
          set_config('gin_pending_list_limit', '16MB', true)`;
    }
    await lockProject(tx, projectId);
    const [known] = await tx`
        select from transcript_contents
        where transcript_id = ${transcriptId} and state = 'reading' and claimed_by = ${owner} for update`;
    if (known === undefined) throw new TranscriptGoneError();
    await work(tx);
  });
}
