/** What an operator waits for: a phrase in all archives, and the beginning of a very long one. */
import type postgres from 'postgres';
import type { TranscriptList } from '../../core/api/transcripts';
import type { ConnectionFile } from '../../core/settings/connection-file';
import { createContentsReading } from '../../core/transcript/contents-reading';
import { readFile } from '../../db/transcripts/chunk-store';
import { CONTENTS_VERSION } from '../../db/transcripts/contents/claim-contents';
import { answerMessages, answerOutline, findContents } from '../../db/transcripts/contents/load-contents';
import { packContents, packSegment } from '../../db/transcripts/contents/pack-contents';
import { finishContents, writeSegments } from '../../db/transcripts/contents/write-contents';
import { makeProject, makeTranscript as makeRow, storeFile } from '../../db/transcripts/transcripts-testing';
import { median, quantile } from '../lib/median';
import type { Random } from '../lib/random';
import { OWNER } from './fill-archives';
import { makeTranscript } from './make-transcript';

const WARM_UP_READS = 2;

async function medianMs(reads: number, read: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < WARM_UP_READS + reads; i += 1) {
    const startedAt = performance.now();
    await read();
    if (i >= WARM_UP_READS) times.push(performance.now() - startedAt);
  }
  return median(times);
}

export interface SearchTimes {
  /** Of the answers over HTTP: the middle one, and what 19 of 20 stay below. */
  medianMs: number;
  mostMs: number;
  /** Transcripts with it, of the answers the most. */
  found: number;
  isComplete: boolean;
}

/** The list of transcripts with a phrase, as the page asks a running server for it. */
export async function measureSearch(
  { url, readToken }: Pick<ConnectionFile, 'url' | 'readToken'>,
  q: string,
  reads: number,
): Promise<SearchTimes> {
  const times: number[] = [];
  let found = 0;
  let isComplete = true;
  for (let i = 0; i < WARM_UP_READS + reads; i += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${url}/api/v1/transcripts?${new URLSearchParams({ q })}`, {
      headers: { authorization: `Bearer ${readToken}` },
    });
    const list = (await answer.json()) as TranscriptList;
    if (!answer.ok) throw new Error(`a search was answered with ${answer.status}`);
    if (i >= WARM_UP_READS) times.push(performance.now() - startedAt);
    found = Math.max(found, list.total);
    isComplete = list.isSearchComplete ?? true;
  }
  return { medianMs: median(times), mostMs: quantile(times, 0.95), found, isComplete };
}

export interface LongTranscript {
  entries: number;
  scanMs: number;
  readMs: number;
  outlineMs: number;
  messagesMs: number;
}

/** One transcript of so many bytes: stored, read with the look for secrets, opened. */
export async function measureLong(
  sql: postgres.Sql,
  words: () => string,
  random: Random,
  bytes: number,
  reads: number,
): Promise<LongTranscript> {
  const file = Buffer.from([...makeTranscript(words, random, bytes, 'long')].join(''));
  const projectId = await makeProject(sql, 'bench-long');
  const transcriptId = await makeRow(sql, projectId, 'long');
  await storeFile(sql, { projectId, transcriptId, file });
  await sql`update transcripts set state = 'stored', bytes = ${file.length} where id = ${transcriptId}`;
  await sql`
    insert into transcript_contents (transcript_id, state, version, claimed_by)
    values (${transcriptId}, 'reading', ${CONTENTS_VERSION}, ${OWNER})`;
  const claimed = {
    transcriptId,
    projectId,
    fileName: 'long.jsonl',
    bytes: file.length,
    summary: null,
    owner: OWNER,
  };
  const reading = createContentsReading(claimed.fileName);
  const scanMs = await timed(async () => {
    for await (const chunk of readFile(sql, transcriptId)) await reading.scan(chunk);
  });
  const readMs = await timed(async () => {
    let place = 0;
    for await (const chunk of readFile(sql, transcriptId)) {
      const segments = (await reading.read(chunk)).map(packSegment);
      await writeSegments(sql, claimed, place, segments);
      place += segments.length;
    }
    const { segments, contents } = await reading.finish();
    await writeSegments(sql, claimed, place, segments.map(packSegment));
    await finishContents(sql, claimed, packContents(contents));
  });
  const [known] = await sql<{ publicId: string }[]>`
    select public_id as "publicId" from transcripts where id = ${transcriptId}`;
  const find = async () => {
    const row = await findContents(sql, known?.publicId ?? '');
    if (row?.state !== 'read') throw new Error('the transcript was not read');
    return row;
  };
  const { entries } = await find();
  return {
    entries,
    scanMs,
    readMs,
    outlineMs: await medianMs(reads, async () => {
      await answerOutline(sql, await find());
    }),
    messagesMs: await medianMs(reads, async () => {
      const from = random(Math.max(1, entries - 50));
      await answerMessages(sql, await find(), { from, count: 50, raw: false, full: false });
    }),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
