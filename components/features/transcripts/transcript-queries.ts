/** What the screens of transcripts read and change over the API. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  TranscriptEntry,
  TranscriptMessages,
  TranscriptOutline,
  TranscriptSearch,
} from '@/core/api/transcript-contents';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import type { Revealed, TranscriptSource } from '@/core/api/transcript-secrets';
import type { TranscriptList, TranscriptRow } from '@/core/api/transcripts';
import { fetchJson } from '../../data/fetch-json';
import { retryInterval } from '../../data/query-provider';

const LIST_PAGE = '100';
/** Entries of the outline's beginning: a few screens. */
const FIRST_ENTRIES = 400;
/** Entries of one page of messages. */
export const PAGE_ENTRIES = 40;
/** Pages of messages that left the screen are kept for this time. */
const KEEP_PAGES_MS = 60_000;
const UPLOADING_MS = 3_000;
const READING_MS = 700;
const LIST_MS = 10_000;

const pathOf = (id: string, part = '') => `/api/v1/transcripts/${encodeURIComponent(id)}${part}`;
const beginningPath = (id: string) => pathOf(id, `/outline?count=${FIRST_ENTRIES}`);

/** The requests of a page that opens at the top, for the browser to start before the scripts have loaded. */
export const firstPaths = (id: string) => [beginningPath(id), messagesPath(id, 0, PAGE_ENTRIES)];

/** The original bytes, as an attachment. */
export const downloadPath = (id: string) => pathOf(id, '/content');

/** @param search the query as the API takes it (list/transcripts-query.ts) */
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

export const transcriptQuery = (id: string, known: TranscriptRow | null) =>
  queryOptions({
    queryKey: ['transcripts', id, 'row'],
    queryFn: ({ signal }) => fetchJson<TranscriptRow>(pathOf(id), { signal }),
    ...(known && { initialData: known }),
    refetchInterval: (query) =>
      retryInterval(query) ||
      (/^(uploading|announced)$/.test(query.state.data?.state ?? '') ? UPLOADING_MS : false),
  });

function outlineQuery(id: string, name: string, path: string) {
  return queryOptions({
    queryKey: ['transcripts', id, name],
    queryFn: ({ signal }) => fetchJson<TranscriptOutline>(path, { signal }),
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

export const lostQuery = (id: string) =>
  queryOptions({
    queryKey: ['transcripts', id, 'lost'],
    queryFn: ({ signal }) => fetchJson<TranscriptLost>(pathOf(id, '/lost'), { signal }),
  });

export type EntryPage = ReadonlyMap<number, TranscriptEntry>;

/** A page of entries. One answer may stop early at its size limit; the query goes on to the page's end. */
export const entriesQuery = (id: string, raw: boolean, page: number) =>
  queryOptions({
    queryKey: ['transcripts', id, 'entries', raw, page],
    queryFn: async ({ signal }): Promise<EntryPage> => {
      const entries = new Map<number, TranscriptEntry>();
      const end = (page + 1) * PAGE_ENTRIES;
      for (let from: number | null = page * PAGE_ENTRIES; from !== null && from < end; ) {
        const path = messagesPath(id, from, end - from, { raw });
        const answer: TranscriptMessages = await fetchJson<TranscriptMessages>(path, { signal });
        for (const entry of answer.entries) entries.set(entry.entry, entry);
        from = answer.next;
      }
      return entries;
    },
    // An empty page was asked for before the server had processed the file.
    staleTime: ({ state }) => (state.data?.size === 0 ? 0 : Number.POSITIVE_INFINITY),
    gcTime: KEEP_PAGES_MS,
    structuralSharing: false,
  });

/** @param more `raw`: with the source of every line; `full`: one entry with its texts and images in full */
function messagesPath(id: string, from: number, count: number, more: { raw?: boolean; full?: boolean } = {}) {
  return pathOf(
    id,
    `/messages?from=${from}&count=${count}${more.raw ? '&raw=1' : ''}${more.full ? '&full=1' : ''}`,
  );
}

/** One entry with its texts and images in full. @throws ApiError */
export async function fetchWholeEntry(id: string, entry: number, raw: boolean): Promise<TranscriptEntry> {
  const path = messagesPath(id, entry, 1, { full: true, raw });
  const [found] = (await fetchJson<TranscriptMessages>(path)).entries;
  if (found?.entry !== entry) throw new Error('the server sent nothing');
  return found;
}

/** Places of a phrase in one transcript; each page searches a further part of the file. */
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

/** The stored bytes, piece by piece. */
export const sourceQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['transcripts', id, 'source'],
    queryFn: ({ pageParam, signal }) =>
      fetchJson<TranscriptSource>(pathOf(id, `/source?from=${pageParam}`), { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
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
