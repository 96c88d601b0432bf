'use client';
/** The URL state of the history page, and its reads, repeated as a live range moves on. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { parseAsIsoDateTime, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { Delayed, History, HistorySessionList } from '@/core/api/history';
import { HISTORY_GROUPINGS } from '@/core/history/groupings';
import { fetchJson } from '../../data/fetch-json';
import { searchOf } from '../../data/search-of';
import { useClock } from '../../data/use-clock';
import { useLastData } from '../../data/use-last-data';
import { DEFAULT_RANGE, RANGE_NAMES } from '../../format/range-names';
import { shownRange } from './history-range';
import { SESSION_SORTS } from './history-words';

const PARSERS = {
  // The default is written to the URL too, because another browser may have another default.
  range: parseAsStringLiteral(RANGE_NAMES).withDefault(DEFAULT_RANGE).withOptions({ clearOnDefault: false }),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
  by: parseAsStringLiteral(HISTORY_GROUPINGS).withDefault('project'),
  project: parseAsString,
  runner: parseAsString,
  model: parseAsString,
  sort: parseAsStringLiteral(SESSION_SORTS).withDefault('thrash'),
};

export type HistoryUrl = ReturnType<typeof useHistory>['url'];
export type ChangeHistoryUrl = (change: Partial<{ [K in keyof HistoryUrl]: HistoryUrl[K] | null }>) => void;

export function useHistory(zone: string) {
  const [url, change] = useQueryStates(PARSERS, { history: 'replace', shallow: true, scroll: false });
  const end = useClock((now) => shownRange(url, now).to);
  const range = shownRange(url, end - 1);
  const { by, sort, project, runner, model } = url;
  const shared = { from: new Date(range.from), to: new Date(range.to), project, runner, model };
  /** Paths of the API. `groups`: number of groups with a trace; other groups have only figures. */
  const path = (more: Record<string, string>) =>
    `/api/v1/history?${searchOf({ ...shared, by, zone, ...more })}`;
  const sessionsPath = (more: Record<string, string>) =>
    `/api/v1/history/sessions?${searchOf({ ...shared, sort, ...more })}`;
  return {
    url,
    change,
    range,
    history: useRead<Delayed<History>>(path({ groups: '40' })),
    sessions: useRead<HistorySessionList>(sessionsPath({ limit: '50' })),
    path,
    sessionsPath,
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
    value: useLastData(query.data) ?? null,
    pending: query.isPending || query.isPlaceholderData,
    error: query.failureReason,
  };
}
