'use client';
/** The reads of the history page, repeated as a live range moves on. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { History, HistorySessionList } from '@/core/api/history';
import { fetchJson } from '../../data/fetch-json';
import { useClock } from '../../data/use-clock';
import { useLastData } from '../../data/use-last-data';
import { type ShownRange, shownRange } from './history-range';
import type { HistoryUrl } from './use-history-url';

/** Groups with a trace; the others have only figures. */
const DRAWN_GROUPS = '40';
const SHOWN_SESSIONS = '50';
const EXPORTED_SESSIONS = '500';

function pathOf(
  path: string,
  { from, to }: ShownRange,
  url: HistoryUrl,
  more: Record<string, string>,
): string {
  const params = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  for (const name of ['project', 'runner', 'model'] as const) {
    const value = url[name];
    if (value !== null) params.set(name, value);
  }
  for (const [name, value] of Object.entries(more)) params.set(name, value);
  return `/api/v1/${path}?${params}`;
}

/** Every bucket of every group as a file. */
export function exportPath(range: ShownRange, url: HistoryUrl, zone: string, format: 'csv' | 'json'): string {
  return pathOf('history', range, url, { by: url.by, zone, format });
}

/** The sessions with boundaries as a file. */
export function exportSessionsPath(range: ShownRange, url: HistoryUrl): string {
  return pathOf('history/sessions', range, url, { sort: url.sort, limit: EXPORTED_SESSIONS, format: 'csv' });
}

export function useHistory(url: HistoryUrl, zone: string) {
  const end = useClock((now) => shownRange(url, now).to);
  const range = shownRange(url, end - 1);
  return {
    range,
    history: useRead<History>(pathOf('history', range, url, { by: url.by, zone, groups: DRAWN_GROUPS })),
    sessions: useRead<HistorySessionList>(
      pathOf('history/sessions', range, url, { sort: url.sort, limit: SHOWN_SESSIONS }),
    ),
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
