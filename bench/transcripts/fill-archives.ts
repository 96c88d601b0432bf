/**
 * Archives for searches: sessions with several archives of a growing transcript. The server's reader reads the last
 * archive of each session, without the scan for secrets; the earlier archives share its segments.
 */
import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { createContentsReading } from '../../core/transcript/contents-reading';
import { CONTENTS_VERSION } from '../../db/transcripts/contents/claim-contents';
import { type PackedSegment, packContents, packSegment } from '../../db/transcripts/contents/pack-contents';
import { finishContents, writeSegments } from '../../db/transcripts/contents/write-contents';
import type { Random } from '../lib/random';
import { makeTranscript } from './make-transcript';

/** Owner of all claims. */
const OWNER = randomUUID();

/** Segments of one transaction, as the server writes them. */
const BATCH = 32;

export const ARCHIVES = 10;
/** This phrase occurs once, in the archives of one session. */
export const PHRASE = 'the harbour master of lindisfarne';
/** This phrase occurs once in the archives of another session, in the last of 3 000 parts of a line. */
export const FAR_PHRASE = 'a lantern behind the thousandth part';

/** Archive each session ten times; the last archive of a session has `bytes`. Returns total and unique bytes. */
export async function fillArchives(
  sql: postgres.Sql,
  words: () => string,
  random: Random,
  { sessions, bytes }: { sessions: number; bytes: number },
): Promise<{ bytes: number; uniqueBytes: number }> {
  const [project] = await sql<
    { id: number }[]
  >`insert into projects (name) values ('bench-archives') returning id`;
  const projectId = project?.id ?? 0;
  const filled = { bytes: 0, uniqueBytes: 0 };
  let writing = Promise.resolve();
  for (let session = 0; session < sessions; session += 1) {
    const ids = await makeRows(sql, projectId, `session-${session}`);
    const last = {
      transcriptId: ids.at(-1) ?? 0,
      projectId,
      fileName: 'bench.jsonl',
      bytes,
      summary: null,
      owner: OWNER,
    };
    const reading = createContentsReading(last.fileName);
    const segments: PackedSegment[] = [];
    let size = 0;
    const encoder = new TextEncoder();
    for (const block of makeTranscript(words, random, bytes, `session-${session}`)) {
      const isFirst = size === 0;
      const text =
        isFirst && session === sessions >> 1 ? block.replace('"content":"', `"content":"${PHRASE} `) : block;
      const more = isFirst && session === sessions >> 2 ? lineOfParts() : '';
      const chunk = encoder.encode(more + text);
      size += chunk.length;
      segments.push(...(await reading.read(chunk)).map(packSegment));
    }
    const { segments: rest, contents } = await reading.finish();
    segments.push(...rest.map(packSegment));
    const packed = { ...packContents(contents), bytes: size };
    // The database writes while the next transcript is generated and read.
    await writing;
    writing = (async () => {
      for (let i = 0; i < segments.length; i += BATCH)
        await writeSegments(sql, last, i, segments.slice(i, i + BATCH));
      await finishContents(sql, last, packed);
      for (const [i, id] of ids.slice(0, -1).entries()) {
        const share = Math.ceil((segments.length * (i + 1)) / ARCHIVES);
        await sql`
          insert into transcript_segment_uses (transcript_id, place, segment_id, first_entry, first_line)
          select ${id}, place, segment_id, first_entry, first_line from transcript_segment_uses
          where transcript_id = ${last.transcriptId} and place < ${share}`;
        await sql`update transcript_contents set state = 'read' where transcript_id = ${id}`;
      }
    })();
    // Archive n of ten has n tenths of the last archive's size.
    filled.bytes += (size * (ARCHIVES + 1)) / 2;
    filled.uniqueBytes += size;
    if (session % 10 === 9) process.stderr.write(`  ${session + 1} of ${sessions} sessions read\n`);
  }
  await writing;
  return filled;
}

/** A message with more parts than the reader parses, and a phrase in the last part. */
function lineOfParts(): string {
  const content = Array.from({ length: 3_000 }, (_, i) => ({
    type: 'text',
    text: i === 2_999 ? FAR_PHRASE : `part ${i}`,
  }));
  return `${JSON.stringify({ type: 'user', uuid: 'parts', message: { role: 'user', content } })}\n`;
}

async function makeRows(sql: postgres.Sql, projectId: number, key: string): Promise<number[]> {
  const session = randomUUID();
  const rows = await sql<{ id: number }[]>`
    insert into transcripts (project_id, session, session_key, archive, state, at, bytes)
    select ${projectId}, ${session}, ${key}, gen_random_uuid(), 'stored', now() - make_interval(hours => n), 1
    from generate_series(1, ${ARCHIVES}::int) n returning id`;
  const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
  await sql`
    insert into transcript_files (transcript_id, bytes, parts) select unnest(${ids}::int[]), 1, 0`;
  await sql`
    insert into transcript_contents (transcript_id, state, version, claimed_by, claimed_until)
    select unnest(${ids}::int[]), 'reading', ${CONTENTS_VERSION}, ${OWNER}, now() + interval '1 day'`;
  return ids;
}
