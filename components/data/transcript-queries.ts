/** Reads and changes of the transcript screens over the API. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  Revealed,
  TranscriptEntry,
  TranscriptMessages,
  TranscriptOutline,
  TranscriptSearch,
} from '@/core/api/transcript-contents';
import type { TranscriptList, TranscriptRow } from '@/core/api/transcripts';
import { fetchJson } from './fetch-json';
import { retryInterval } from './query-provider';

const LIST_PAGE = '100';
/** Number of entries in the first part of the outline: a few screens. */
const FIRST_ENTRIES = 400;
const PAGE_ENTRIES = 40;
export const pageOfEntry = (entry: number) => Math.floor(entry / PAGE_ENTRIES);
/** Pages of messages are kept this long after they left the screen. */
const KEEP_PAGES_MS = 60_000;
const UPLOADING_MS = 3_000;
const READING_MS = 700;
const LIST_MS = 10_000;

const pathOf = (id: string, part = '') => `/api/v1/transcripts/${encodeURIComponent(id)}${part}`;
const beginningPath = (id: string) => pathOf(id, `/outline?count=${FIRST_ENTRIES}`);

/** First requests of a page that opens at the top. The browser starts these requests before the scripts load. */
export const firstPaths = (id: string) => [beginningPath(id), messagesPath(id, 0, PAGE_ENTRIES)];

export const downloadPath = (id: string) => pathOf(id, '/content');

export const transcriptListQuery = (search: string) =>
  infiniteQueryOptions({
    queryKey: ['transcripts', 'list', search],
    queryFn: ({ pageParam, signal }) => {
      const page = new URLSearchParams({ limit: LIST_PAGE, ...pageParam });
      return fetchJson<TranscriptList>(`/api/v1/transcripts?${search}&${page}`, { signal });
    },
    initialPageParam: {} as Record<string, string>,
    // A search continues with older archives.
    getNextPageParam: ({ nextCursor, searchCursor }, _, place) => {
      if (nextCursor !== null) return { ...place, cursor: nextCursor };
      return searchCursor == null ? undefined : { searchFrom: searchCursor };
    },
    placeholderData: keepPreviousData,
    refetchInterval: (query) => {
      const rows = query.state.data?.pages.flatMap(({ transcripts }) => transcripts) ?? [];
      return (
        retryInterval(query) || (rows.some(({ state }) => state === 'uploading') ? UPLOADING_MS : LIST_MS)
      );
    },
  });

export const transcriptQuery = (id: string, known: TranscriptRow) =>
  queryOptions({
    queryKey: ['transcripts', id, 'row'],
    queryFn: ({ signal }) => fetchJson<TranscriptRow>(pathOf(id), { signal }),
    initialData: known,
    refetchInterval: (query) =>
      retryInterval(query) ||
      (/^(uploading|announced)$/.test(query.state.data?.state ?? '') ? UPLOADING_MS : false),
  });

/** Long texts wrap again when their font arrives, so they wait for it, but not long. */
const untilFonts = () => Promise.race([document.fonts.ready, new Promise((done) => setTimeout(done, 3_000))]);

function outlineQuery(id: string, name: string, path: string) {
  return queryOptions({
    queryKey: ['transcripts', id, name],
    queryFn: async ({ signal }) => {
      const [outline] = await Promise.all([fetchJson<TranscriptOutline>(path, { signal }), untilFonts()]);
      return outline;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // Comparing tens of thousands of entries costs more than drawing them.
    structuralSharing: false,
    refetchInterval: (query) => {
      const state = query.state.data?.state;
      return retryInterval(query) || (state === 'waiting' || state === 'reading' ? READING_MS : false);
    },
  });
}

/** The outline of the first entries; its `entries` counts the whole file. */
export const beginningQuery = (id: string) => outlineQuery(id, 'beginning', beginningPath(id));
export const wholeOutlineQuery = (id: string) => outlineQuery(id, 'outline', pathOf(id, '/outline'));

export type EntryPage = ReadonlyMap<number, TranscriptEntry>;

/** A page of entries. An answer may stop early at its size limit: the query then asks for the rest. */
export const entriesQuery = (id: string, raw: boolean, page: number) =>
  queryOptions({
    queryKey: ['transcripts', id, 'entries', raw, page],
    queryFn: async ({ signal }): Promise<EntryPage> => {
      const entries = new Map<number, TranscriptEntry>();
      const end = (page + 1) * PAGE_ENTRIES;
      for (let from: number | null = page * PAGE_ENTRIES; from !== null && from < end; ) {
        const path = withSource(messagesPath(id, from, end - from), raw);
        const answer: TranscriptMessages = await fetchJson<TranscriptMessages>(path, { signal });
        for (const entry of answer.entries) entries.set(entry.entry, entry);
        from = answer.next;
      }
      return entries;
    },
    // Pages are empty until the server has processed the file.
    staleTime: ({ state }) => (state.data?.size === 0 ? 0 : Number.POSITIVE_INFINITY),
    gcTime: KEEP_PAGES_MS,
    structuralSharing: false,
  });

const messagesPath = (id: string, from: number, count: number) =>
  pathOf(id, `/messages?from=${from}&count=${count}`);
const withSource = (path: string, raw: boolean) => (raw ? `${path}&raw=1` : path);

/** One entry with its texts and images in full. @throws ApiError */
export async function fetchWholeEntry(id: string, entry: number, raw: boolean): Promise<TranscriptEntry> {
  const path = withSource(`${messagesPath(id, entry, 1)}&full=1`, raw);
  const [found] = (await fetchJson<TranscriptMessages>(path)).entries;
  if (found?.entry !== entry) throw new Error('the server sent nothing');
  return found;
}

/** Matches of a phrase in one transcript; each page searches the next part of the file. */
export const findQuery = (id: string, words: string) =>
  infiniteQueryOptions({
    queryKey: ['transcripts', id, 'search', words],
    queryFn: ({ pageParam, signal }) => {
      const params = new URLSearchParams({ q: words, from: String(pageParam) });
      return fetchJson<TranscriptSearch>(pathOf(id, `/search?${params}`), { signal });
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    enabled: words !== '',
    placeholderData: keepPreviousData,
  });

/** All secrets of a transcript, by `secret entry`: a secret that spans entries has a part in each. @throws ApiError */
export async function revealSecrets(id: string, reason: string): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (let from: number | null = 0; from !== null; ) {
    const body = { from, ...(reason !== '' && { reason }) };
    const answer: Revealed = await fetchJson<Revealed>(pathOf(id, '/reveal'), { method: 'POST', body });
    for (const { secret, entry, value } of answer.secrets) all.set(`${secret} ${entry}`, value);
    from = answer.next;
  }
  return all;
}

export const deleteTranscript = (id: string, reason: string) =>
  fetchJson<unknown>(pathOf(id), { method: 'DELETE', body: { reason } });
