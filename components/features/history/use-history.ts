'use client';
/** The address of the history page, and its reads, repeated as a live range moves on. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { parseAsIsoDateTime, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { History, HistorySessionList } from '@/core/api/history';
import { HISTORY_GROUPINGS } from '@/core/history/groupings';
import { fetchJson } from '../../data/fetch-json';
import { useClock } from '../../data/use-clock';
import { useLastData } from '../../data/use-last-data';
import { DEFAULT_RANGE, RANGE_NAMES } from '../../format/range-names';
import { type ShownRange, shownRange } from './history-range';
import { SESSION_SORTS } from './history-words';

const PARSERS = {
  // Kept in the address also at its default: another may be preferred by this browser.
  range: parseAsStringLiteral(RANGE_NAMES).withDefault(DEFAULT_RANGE).withOptions({ clearOnDefault: false }),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
  by: parseAsStringLiteral(HISTORY_GROUPINGS).withDefault('project'),
  project: parseAsString,
  runner: parseAsString,
  model: parseAsString,
  sort: parseAsStringLiteral(SESSION_SORTS).withDefault('thrash'),
};

/** What the address says about the picture, and how to change it: a link shows a colleague the same. */
export function useHistoryUrl() {
  return useQueryStates(PARSERS, { history: 'replace', shallow: true, scroll: false });
}

export type HistoryUrl = ReturnType<typeof useHistoryUrl>[0];
export type ChangeHistoryUrl = (change: Partial<{ [K in keyof HistoryUrl]: HistoryUrl[K] | null }>) => void;

/** A read of the range with the filters of the address. */
export function historyPath(
  path: 'history' | 'history/sessions',
  { from, to }: ShownRange,
  url: HistoryUrl,
  more: Record<string, string>,
): string {
  const params = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  for (const name of HISTORY_GROUPINGS) if (url[name] !== null) params.set(name, url[name]);
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  return `/api/v1/${path}?${params}`;
}

/** `groups`: those with a trace; the others have only figures. */
export function useHistory(url: HistoryUrl, zone: string) {
  const end = useClock((now) => shownRange(url, now).to);
  const range = shownRange(url, end - 1);
  const { by, sort } = url;
  return {
    range,
    history: useRead<History>(historyPath('history', range, url, { by, zone, groups: '40' })),
    sessions: useRead<HistorySessionList>(historyPath('history/sessions', range, url, { sort, limit: '50' })),
  };
}

function useRead<T>(path: string) {
  const query = useQuery({
    queryKey: ['history', path],
    queryFn: ({ signal }) => fetchJson<T>(path, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  return {
    /** The last answer, until the next arrives. */
    value: useLastData(query.data) ?? null,
    pending: query.isPending || query.isPlaceholderData,
    failed: query.failureCount > 0,
  };
}
