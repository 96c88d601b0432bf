/**
 * Writes what was read from a transcript: segments as they come, the rest at the end. Each transaction holds the
 * project's lock, as deleting does: nothing is written for a transcript that is gone.
 */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import type { Contents, Segment } from '../../../core/transcript/contents-reading';
import { toJsonText } from '../../ingest/json-text';
import { transact } from '../../transact';
import { lockProject, TranscriptGoneError } from '../transcript-store';
import type { ClaimedTranscript } from './claim-contents';
import { cutPages } from './outline-pages';
import { packJson } from './pack-json';

/** Rows of one insert. */
const SECRETS_PER_STATEMENT = 5_000;

/** What an earlier reading left. */
export function clearContents(sql: postgres.Sql, claimed: ClaimedTranscript): Promise<void> {
  return inProject(sql, claimed, (tx) => removeContents(tx, claimed.transcriptId));
}

async function removeContents(tx: postgres.TransactionSql, transcriptId: number): Promise<void> {
  await tx`delete from transcript_segment_uses where transcript_id = ${transcriptId}`;
  await tx`delete from transcript_pages where transcript_id = ${transcriptId}`;
  await tx`delete from transcript_secrets where transcript_id = ${transcriptId}`;
  await tx`delete from transcript_losses where transcript_id = ${transcriptId}`;
}

/** @param place of the first of them among the transcript's segments */
export function writeSegments(
  sql: postgres.Sql,
  claimed: ClaimedTranscript,
  place: number,
  segments: readonly Segment[],
): Promise<void> {
  const packed = segments.map((segment) => {
    const json = JSON.stringify(segment.pieces);
    return { segment, body: packJson(segment.pieces), sha256: createHash('sha256').update(json).digest() };
  });
  return inProject(sql, claimed, async (tx) => {
    for (const [i, { segment, body, sha256 }] of packed.entries()) {
      await tx`
        insert into transcript_segments (project_id, sha256, terms, body)
        select ${claimed.projectId}, ${sha256}, array_to_tsvector(${segment.terms}::text[]), ${body}
        where not exists (
          select from transcript_segments where project_id = ${claimed.projectId} and sha256 = ${sha256}
        )`;
      await tx`
        insert into transcript_segment_uses (transcript_id, place, segment_id, first_entry, first_line)
        select ${claimed.transcriptId}, ${place + i}, id, ${segment.firstEntry}, ${segment.firstLine}
        from transcript_segments where project_id = ${claimed.projectId} and sha256 = ${sha256}`;
    }
  });
}

export async function finishContents(
  sql: postgres.Sql,
  claimed: ClaimedTranscript,
  { format, outline, losses, secrets }: Contents,
): Promise<void> {
  const { transcriptId } = claimed;
  const pages = [...cutPages(outline)].map(packJson);
  const count = new Set(secrets.map(({ secret }) => secret)).size;
  await inProject(sql, claimed, async (tx) => {
    for (const [page, data] of pages.entries()) {
      await tx`insert into transcript_pages (transcript_id, page, data) values (${transcriptId}, ${page}, ${data})`;
    }
    for (const loss of losses) {
      const { entry, from } = loss.compaction;
      await tx`
        insert into transcript_losses (transcript_id, entry, from_byte, data)
        values (${transcriptId}, ${entry}, ${from}, ${packJson(loss)})`;
    }
    for (let first = 0; first < secrets.length; first += SECRETS_PER_STATEMENT) {
      const rows = secrets.slice(first, first + SECRETS_PER_STATEMENT);
      await tx`
        insert into transcript_secrets (transcript_id, secret, entry, line, from_byte, to_byte, rule)
        select ${transcriptId}, r.secret, r.entry, r.line, r."from", r."to", r.rule
        from jsonb_to_recordset(${toJsonText(rows)}::text::jsonb)
          as r (secret int, entry int, line int, "from" bigint, "to" bigint, rule text)`;
    }
    await tx`
      update transcript_contents set state = 'read', reason = null, claimed_until = null, read_at = now(),
        format = ${format}, bytes = ${outline.bytes}, lines = ${outline.lines}, entries = ${outline.entries},
        messages = ${outline.messages}, "window" = ${outline.window}, secrets = ${count},
        chains = ${toJsonText(outline.chains)}::text::jsonb,
        compactions = ${toJsonText(outline.compactions)}::text::jsonb
      where transcript_id = ${transcriptId}`;
    await tx`
      update transcripts set format = ${format}, messages = ${outline.messages}, secrets = ${count}
      where id = ${transcriptId}`;
  });
  // Searches would otherwise look through what waits to be sorted into the index, one by one.
  await sql`select gin_clean_pending_list('transcript_segments_terms')`;
}

async function inProject(
  sql: postgres.Sql,
  { projectId, transcriptId }: ClaimedTranscript,
  work: (tx: postgres.TransactionSql) => Promise<void>,
): Promise<void> {
  await transact(sql, async (tx) => {
    await lockProject(tx, projectId);
    const [known] =
      await tx`select from transcript_contents where transcript_id = ${transcriptId} for update`;
    if (known === undefined) throw new TranscriptGoneError();
    await work(tx);
  });
}
