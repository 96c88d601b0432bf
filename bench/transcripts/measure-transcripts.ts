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
import { median } from '../../scripts/lib/median';
import { type Figure, quantile, timed, timeReads } from '../lib/figures';
import { withServer } from '../lib/processes';
import { createRandom, type Random } from '../lib/random';
import type { BenchDatabase } from '../lib/start-bench-database';
import { ARCHIVES, FAR_PHRASE, fillArchives, OWNER, PHRASE } from './fill-archives';
import { createWords, makeTranscript } from './make-transcript';

const SEARCHES = 40;
const UNIT = 'ms';
/** What is searched for, and how that is spread over the archives. */
const SEARCHED = {
  rare: PHRASE,
  far: FAR_PHRASE,
  common: 'the file',
  // Any two of these words occur together nearly everywhere, all of them nowhere.
  scattered: 'file the error of line not',
  nowhere: 'the harbour master of atlantis',
};

export async function measureTranscripts(
  database: BenchDatabase,
  { sessions, megabytes, long }: { sessions: number; megabytes: number; long: number },
): Promise<Figure[]> {
  const { sql } = database;
  const random = createRandom(11);
  const words = createWords(random);
  const filled = await fillArchives(sql, words, random, { sessions, bytes: megabytes * 1_000_000 });
  await sql`analyze`;
  const searched = await withServer(database, {}, async (server) => {
    const figures: Figure[] = [];
    for (const [name, q] of Object.entries(SEARCHED)) figures.push(...(await measureSearch(server, name, q)));
    return figures;
  });
  return [
    ...searched,
    { name: `Archives searched (${sessions * ARCHIVES})`, value: filled.bytes / 1e6, unit: 'MB' },
    { name: 'Of them unique', value: filled.uniqueBytes / 1e6, unit: 'MB' },
    ...(await measureLong(sql, words, random, long * 1_000_000)),
  ];
}

/** The list of transcripts with a phrase, as the page asks a running server for it. */
async function measureSearch(
  { url, readToken }: Pick<ConnectionFile, 'url' | 'readToken'>,
  name: string,
  q: string,
): Promise<Figure[]> {
  let found = 0;
  let isComplete = true;
  const times = await timeReads(SEARCHES, async () => {
    const answer = await fetch(`${url}/api/v1/transcripts?${new URLSearchParams({ q })}`, {
      headers: { authorization: `Bearer ${readToken}` },
    });
    const list = (await answer.json()) as TranscriptList;
    if (!answer.ok) throw new Error(`a search was answered with ${answer.status}`);
    found = Math.max(found, list.total);
    isComplete = list.isSearchComplete ?? true;
  });
  if ((q === PHRASE || q === FAR_PHRASE) && found !== ARCHIVES) throw new Error(`"${q}" was not found`);
  return [
    { name: `Search, ${name}: 95 of 100`, value: quantile(times, 0.95), unit: UNIT, most: 300 },
    { name: `Search, ${name}: median`, value: median(times), unit: UNIT },
    { name: `Transcripts found${isComplete ? '' : ' so far'}, ${name}`, value: found },
  ];
}

/** One transcript of so many bytes: stored, read with the look for secrets, opened. */
async function measureLong(
  sql: postgres.Sql,
  words: () => string,
  random: Random,
  bytes: number,
): Promise<Figure[]> {
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
  const outline = await timeReads(10, async () => answerOutline(sql, await find()));
  const messages = await timeReads(10, async () => {
    const from = random(Math.max(1, entries - 50));
    await answerMessages(sql, await find(), { from, count: 50, raw: false, full: false });
  });
  return [
    { name: `Outline of ${bytes / 1e6} MB (${entries} entries)`, value: median(outline), unit: UNIT },
    { name: '50 of its messages', value: median(messages), unit: UNIT },
    { name: 'Looking for its secrets', value: scanMs, unit: UNIT },
    { name: 'Reading and indexing it', value: readMs, unit: UNIT },
  ];
}
