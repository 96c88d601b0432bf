/** The transcripts of one project folder on this machine, as a `History`. Needs no server, and sends nothing. */
import { ENTRY_KINDS } from '../../../core/agents/entry';
import { type History, HistoryError, type HistoryHit } from '../../../core/mcp/history';
import { statusLines } from '../../../core/mcp/status-lines';
import { excerptOf, findPhrase } from '../../../core/transcript/find-phrase';
import { wordsOf } from '../../../core/transcript/words';
import type { RunnerSettings } from '../settings';
import { foldTranscript } from '../transcripts/fold-transcript';
import { createTranscriptFinder, type LocalTranscript } from './find-transcripts';
import { createContentsReader, mayContain, type ReadTranscript } from './read-contents';

export interface LocalHistoryOptions {
  settings: Pick<RunnerSettings, 'transcripts'>;
  configFolder: string;
  /** Absolute. */
  folder: string;
  now(): number;
}

/** Time of one search. A project may have gigabytes of transcripts. */
const SEARCH_MS = 10_000;
const HITS_PER_ENTRY = 1;

export function createLocalHistory({ settings, configFolder, folder, now }: LocalHistoryOptions): History {
  const finder = createTranscriptFinder(settings, configFolder, folder);
  const readTranscript = createContentsReader();

  /** @throws HistoryError */
  async function find(id: string | undefined): Promise<LocalTranscript> {
    const all = await finder.all();
    const found = id === undefined ? all[0] : (all.find((one) => one.id === id) ?? (await findArchive(id)));
    if (found !== undefined) return found;
    throw new HistoryError(
      id === undefined
        ? `There is no transcript of ${folder} on this machine.`
        : `transcript: ${folder} has no transcript "${id}". search_history returns ids.`,
    );
  }
  const findArchive = async (id: string) => (await finder.archives()).find((one) => one.id === id);

  return {
    about: `the transcripts of ${folder} on this machine, also from before compactions`,

    async status({ session }) {
      const { source, id } = await find(session);
      if (source === null)
        throw new HistoryError(`session: "${id}" is an archive, and its session was deleted.`);
      const { summary } = await foldTranscript(source);
      return statusLines(id, summary);
    },

    async search({ query, transcript, limit }) {
      const phrase = wordsOf(query);
      if (phrase.length === 0) throw new HistoryError('query: it must contain a letter or a digit.');
      const among = transcript === undefined ? await finder.all() : [await find(transcript)];
      const hits: HistoryHit[] = [];
      const deadline = now() + SEARCH_MS;
      let searched = 0;
      for (const { id, path } of among) {
        if (hits.length >= limit || now() > deadline) break;
        searched += 1;
        if (!(await mayContain(path, query).catch(() => false))) continue;
        hits.push(...hitsIn(id, await readTranscript(path), phrase).slice(0, limit - hits.length));
      }
      const left = among.length - searched;
      return { hits, note: left === 0 ? null : `${left} older transcripts were not searched.` };
    },

    async read({ transcript, from, count }) {
      const { path } = await find(transcript);
      const { texts, outline } = await readTranscript(path);
      const numbers = Array.from(
        { length: Math.min(count, Math.max(0, outline.entries - from)) },
        (_, i) => from + i,
      );
      const entries = numbers.flatMap((entry) => {
        const text = texts.get(entry);
        return text === undefined ? [] : [{ entry, text, ...placeOf(outline, entry) }];
      });
      return { entries, total: outline.entries };
    },

    async lost({ transcript, compaction }) {
      const { id, path } = await find(transcript);
      const { losses } = await readTranscript(path);
      const loss = compaction === undefined ? losses.at(-1) : losses[compaction - 1];
      if (loss === undefined && compaction !== undefined)
        throw new HistoryError(`compaction: the transcript has ${losses.length} compactions.`);
      if (loss === undefined) return null;
      const { from: _, at, ...own } = loss.compaction;
      return { transcript: id, loss: { ...loss, compaction: { ...own, at: isoOf(at) } } };
    },

    async archives() {
      const found = await finder.archives();
      return found.map(({ id, session, at, bytes }) => ({ id, title: `${session} ${at}`, at, bytes }));
    },
  };
}

function hitsIn(transcript: string, { texts, outline, title }: ReadTranscript, phrase: readonly string[]) {
  const hits: HistoryHit[] = [];
  for (const [entry, text] of texts) {
    const places = findPhrase(text, phrase, HITS_PER_ENTRY);
    if (places.length === 0) continue;
    const { at } = placeOf(outline, entry);
    hits.push({ transcript, title, entry, at, excerpt: excerptOf(text, places).excerpt });
  }
  // The newest matches are the most useful ones.
  return hits.reverse();
}

function placeOf({ columns }: ReadTranscript['outline'], entry: number) {
  return { kind: ENTRY_KINDS[columns.kind[entry] ?? 0] ?? 'record', at: isoOf(columns.at[entry] ?? null) };
}

const isoOf = (seconds: number | null) => (seconds === null ? null : new Date(seconds * 1000).toISOString());
