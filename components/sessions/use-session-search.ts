'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { SessionList } from '@/core/api/responses';
import type { Session } from '@/core/api/session';
import { fetchJson } from '../data/fetch-json';
import { useDebounced } from '../ui/use-deferred';
import { filterSessions } from './filter-sessions';
import { NO_FILTER } from './fleet-query';

const MOST_SHOWN = 8;
const TYPING_MS = 120;

export interface SessionSearch {
  sessions: readonly Session[];
  /** Number of matching sessions, including hidden ones; null: not known yet. */
  total: number | null;
  status: 'ready' | 'asking' | 'failed';
}

/** Search sessions on the server. The last answer stays until the next one arrives. */
export function useSessionSearch(query: string): SessionSearch {
  const asked = useDebounced(query, TYPING_MS);
  const { data, isError, isPlaceholderData } = useQuery({
    queryKey: ['sessions', 'search', asked],
    queryFn: ({ signal }) => {
      const params = new URLSearchParams({ limit: String(MOST_SHOWN) });
      if (asked !== '') params.set('q', asked.slice(0, 200));
      return fetchJson<SessionList>(`/api/v1/sessions?${params}`, { signal });
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isCurrent = asked === query && !isPlaceholderData;
  if (data === undefined) {
    return { sessions: [], total: null, status: isCurrent && isError ? 'failed' : 'asking' };
  }
  if (isCurrent) return { ...data, status: 'ready' };
  // While the search runs, Enter must not open a result of the previous text.
  const sessions = filterSessions(data.sessions, { ...NO_FILTER, text: query });
  return { sessions, total: null, status: 'asking' };
}
