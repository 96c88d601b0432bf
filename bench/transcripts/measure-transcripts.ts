/** Searches for a phrase in all archives. */
import type { TranscriptList } from '../../core/api/transcripts';
import { median } from '../../core/forecast/median';
import type { BarographServer } from '../../e2e/support/server';
import type { BenchDatabase } from '../lib/bench-database';
import { type Figure, quantile, timeReads } from '../lib/figures';
import { withServer } from '../lib/processes';
import { createRandom } from '../lib/random';
import { ARCHIVES, FAR_PHRASE, fillArchives, PHRASE } from './fill-archives';
import { createWords } from './make-transcript';

const SEARCHES = 40;
const UNIT = 'ms';
/** Phrases, by their distribution over the archives. */
const SEARCHED = {
  rare: PHRASE,
  far: FAR_PHRASE,
  common: 'the file',
  // Any two of these words occur together nearly everywhere; all of them together occur nowhere.
  scattered: 'file the error of line not',
  nowhere: 'the harbour master of atlantis',
};

export async function measureTranscripts(
  database: BenchDatabase,
  { sessions, megabytes }: { sessions: number; megabytes: number },
): Promise<Figure[]> {
  const { sql } = database;
  const random = createRandom(11);
  const filled = await fillArchives(sql, createWords(random), random, {
    sessions,
    bytes: megabytes * 1_000_000,
  });
  await sql`analyze`;
  const searched = await withServer(database, 'all', async (server) => {
    const figures: Figure[] = [];
    for (const [name, q] of Object.entries(SEARCHED)) figures.push(...(await measureSearch(server, name, q)));
    return figures;
  });
  return [
    ...searched,
    { name: `Archives searched (${sessions * ARCHIVES})`, value: filled.bytes / 1e6, unit: 'MB' },
    { name: 'Unique part of these archives', value: filled.uniqueBytes / 1e6, unit: 'MB' },
  ];
}

async function measureSearch(
  { url, connection }: BarographServer,
  name: string,
  q: string,
): Promise<Figure[]> {
  let found = 0;
  let isComplete = true;
  const times = await timeReads(SEARCHES, async () => {
    const answer = await fetch(`${url}/api/v1/transcripts?${new URLSearchParams({ q })}`, {
      headers: { authorization: `Bearer ${connection.readToken}` },
    });
    const list = (await answer.json()) as TranscriptList;
    if (!answer.ok) throw new Error(`the server answered a search with ${answer.status}`);
    found = Math.max(found, list.total);
    isComplete = list.isSearchComplete ?? true;
  });
  if ((q === PHRASE || q === FAR_PHRASE) && found !== ARCHIVES) throw new Error(`"${q}" was not found`);
  return [
    { name: `Search, ${name}: 95th percentile`, value: quantile(times, 0.95), unit: UNIT, most: 300 },
    { name: `Search, ${name}: median`, value: median(times), unit: UNIT },
    { name: `Transcripts found${isComplete ? '' : ' so far'}, ${name}`, value: found },
  ];
}
