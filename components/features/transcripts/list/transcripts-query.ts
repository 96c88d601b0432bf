/** The list's filters and order in the URL, so that links can be shared. */
import {
  type inferParserType,
  parseAsArrayOf,
  parseAsIsoDate,
  parseAsString,
  parseAsStringLiteral,
} from 'nuqs/server';
import type { TranscriptList } from '@/core/api/transcripts';
import { TRANSCRIPT_STATES } from '@/core/transcript/transcript-states';
import { searchOf } from '../../../data/search-of';
import { dayInstants } from '../../../format/local-text';

/** Size filters in bytes, [from, to). */
export const SIZES = {
  small: { words: 'below 1 MB', from: null, to: 1_000_000 },
  middle: { words: '1 to 10 MB', from: 1_000_000, to: 10_000_000 },
  large: { words: '10 to 100 MB', from: 10_000_000, to: 100_000_000 },
  huge: { words: 'over 100 MB', from: 100_000_000, to: null },
} as const;
export const SIZE_NAMES = ['small', 'middle', 'large', 'huge'] as const;

const FILTERS = {
  /** Words in the transcripts. */
  q: parseAsString.withDefault(''),
  project: parseAsString.withDefault(''),
  /** Words of the session's title or key, or its id. */
  session: parseAsString.withDefault(''),
  trigger: parseAsStringLiteral(['auto', 'manual'] as const),
  state: parseAsArrayOf(parseAsStringLiteral(TRANSCRIPT_STATES)).withDefault([]),
  /** Calendar days in the viewer's time zone, both inclusive. */
  from: parseAsIsoDate,
  to: parseAsIsoDate,
  size: parseAsStringLiteral(SIZE_NAMES),
};

/** Invalid values in a URL are ignored. */
export const TRANSCRIPTS_QUERY = {
  ...FILTERS,
  sort: parseAsStringLiteral(['at', 'bytes', 'messages', 'session'] as const).withDefault('at'),
  order: parseAsStringLiteral(['asc', 'desc'] as const).withDefault('desc'),
};

export type TranscriptsQuery = inferParserType<typeof TRANSCRIPTS_QUERY>;

const FILTER_NAMES = Object.keys(FILTERS) as (keyof typeof FILTERS)[];

export const NO_FILTERS = Object.fromEntries(FILTER_NAMES.map((name) => [name, null]));

export function isFiltered(query: TranscriptsQuery): boolean {
  return FILTER_NAMES.some((name) => String(query[name] ?? '').trim() !== '');
}

/** Longest text the API accepts. */
const MAX_TEXT = 200;

/** The query for the API: `project=atlas&state=failed`. @param zone time zone of the days */
export function transcriptsSearch(query: TranscriptsQuery, zone: string): string {
  const { q, session, from, to, size, sort, order, ...rest } = query;
  const bytes = size && SIZES[size];
  return searchOf({
    ...rest,
    q: q.trim().slice(0, MAX_TEXT),
    session: session.trim().slice(0, MAX_TEXT),
    from: from && new Date(dayInstants(from, zone).from),
    to: to && new Date(dayInstants(to, zone).to),
    minBytes: bytes?.from ? String(bytes.from) : null,
    maxBytes: bytes?.to ? String(bytes.to - 1) : null,
    sort: sort === 'at' ? null : sort,
    order: order === 'desc' ? null : order,
  });
}

export type ListedTranscript = TranscriptList['transcripts'][number];

const HITS_SHOWN = 3;

/** List each transcript once. A continued search may find more matches in a listed transcript. */
export function joinPages(pages: readonly Pick<TranscriptList, 'transcripts'>[]): ListedTranscript[] {
  const rows = new Map<string, ListedTranscript>();
  for (const row of pages.flatMap(({ transcripts }) => transcripts)) {
    const known = row.hitCount === null ? undefined : rows.get(row.id);
    const hits = [...(known?.hits ?? []), ...row.hits].slice(0, HITS_SHOWN);
    rows.set(row.id, known ? { ...row, hits, hitCount: (known.hitCount ?? 0) + (row.hitCount ?? 0) } : row);
  }
  return [...rows.values()];
}
