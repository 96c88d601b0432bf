/** The list's filters and order in the URL, so that links can be shared. */
import { parseAsArrayOf, parseAsIsoDate, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { TRANSCRIPT_STATES, type TranscriptState } from '@/core/transcript/transcript-states';
import { dayInstants } from '../../../format/local-text';

const TRANSCRIPT_SORTS = ['at', 'bytes', 'messages', 'session'] as const;
export type TranscriptSort = (typeof TRANSCRIPT_SORTS)[number];

/** Size filters in bytes, [from, to). */
export const SIZES = {
  small: { words: 'below 1 MB', from: null, to: 1_000_000 },
  middle: { words: '1 to 10 MB', from: 1_000_000, to: 10_000_000 },
  large: { words: '10 to 100 MB', from: 10_000_000, to: 100_000_000 },
  huge: { words: 'over 100 MB', from: 100_000_000, to: null },
} as const;
export type SizeName = keyof typeof SIZES;
export const SIZE_NAMES = ['small', 'middle', 'large', 'huge'] as const satisfies readonly SizeName[];

export interface TranscriptsQuery {
  /** Words in the transcripts. */
  q: string;
  project: string;
  /** Words of the session's title or key, or its id. */
  session: string;
  trigger: 'auto' | 'manual' | null;
  state: TranscriptState[];
  /** Calendar days in the viewer's time zone, both inclusive. */
  from: Date | null;
  to: Date | null;
  size: SizeName | null;
  sort: TranscriptSort;
  order: 'asc' | 'desc';
}

/** Invalid values in an address are ignored. */
export const TRANSCRIPTS_QUERY = {
  q: parseAsString.withDefault(''),
  project: parseAsString.withDefault(''),
  session: parseAsString.withDefault(''),
  trigger: parseAsStringLiteral(['auto', 'manual'] as const),
  state: parseAsArrayOf(parseAsStringLiteral(TRANSCRIPT_STATES)).withDefault([]),
  from: parseAsIsoDate,
  to: parseAsIsoDate,
  size: parseAsStringLiteral(SIZE_NAMES),
  sort: parseAsStringLiteral(TRANSCRIPT_SORTS).withDefault('at'),
  order: parseAsStringLiteral(['asc', 'desc'] as const).withDefault('desc'),
};

export const NO_FILTERS = {
  q: '',
  project: '',
  session: '',
  trigger: null,
  state: [],
  from: null,
  to: null,
  size: null,
} satisfies Partial<TranscriptsQuery>;

export function isFiltered(query: TranscriptsQuery): boolean {
  const { q, project, session, trigger, state, from, to, size } = query;
  const texts = [q, project, session].some((text) => text.trim() !== '');
  return texts || state.length > 0 || [trigger, from, to, size].some((value) => value !== null);
}

/** Longest text the API accepts. */
const MAX_TEXT = 200;

/** The query for the API: `project=atlas&state=failed`. @param zone the time zone of days */
export function transcriptsSearch(query: TranscriptsQuery, zone: string): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string) => {
    if (value !== '') params.set(name, value);
  };
  put('q', query.q.trim().slice(0, MAX_TEXT));
  put('project', query.project);
  put('session', query.session.trim().slice(0, MAX_TEXT));
  put('trigger', query.trigger ?? '');
  for (const state of query.state) params.append('state', state);
  if (query.from !== null) put('from', new Date(dayInstants(query.from, zone).from).toISOString());
  if (query.to !== null) put('to', new Date(dayInstants(query.to, zone).to).toISOString());
  const size = query.size === null ? null : SIZES[query.size];
  if (size?.from) put('minBytes', String(size.from));
  if (size?.to) put('maxBytes', String(size.to - 1));
  if (query.sort !== 'at') put('sort', query.sort);
  if (query.order !== 'desc') put('order', query.order);
  return params.toString();
}
