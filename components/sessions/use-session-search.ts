'use client';
/**
 * Sessions by their words. A page that holds the whole fleet searches it locally; elsewhere the server is asked. The last
 * answer stays until the next one arrives.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SessionList } from '@/core/api/responses';
import type { Session } from '@/core/api/session';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { fetchJson } from '../data/fetch-json';
import { useDebounced } from '../ui/use-deferred';
import { filterSessions } from './filter-sessions';
import { NO_FILTER } from './fleet-query';
import { sortSessions } from './sort-sessions';

const MOST_SHOWN = 8;
const TYPING_MS = 120;

export interface SessionSearch {
  sessions: readonly Session[];
  /** Sessions that match, shown or not; null: not known yet. */
  total: number | null;
  status: 'ready' | 'asking' | 'failed';
}

/** @param held the fleet that the page keeps up to date; null: none */
export function useSessionSearch(query: string, held: FleetView | null): SessionSearch {
  const complete = held !== null && held.sessions.size >= held.total ? held : null;
  const asked = useDebounced(query, TYPING_MS);
  const { data, isError, isPlaceholderData } = useQuery({
    queryKey: ['sessions', 'search', asked],
    queryFn: ({ signal }) => {
      const params = new URLSearchParams({ limit: String(MOST_SHOWN) });
      if (asked !== '') params.set('q', asked.slice(0, 200));
      return fetchJson<SessionList>(`/api/v1/sessions?${params}`, { signal });
    },
    enabled: complete === null,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const local = useMemo(() => (complete === null ? null : searchLocally(complete, query)), [complete, query]);
  if (local !== null) return local;
  const isCurrent = asked === query && !isPlaceholderData;
  if (data === undefined) {
    return { sessions: [], total: null, status: isCurrent && isError ? 'failed' : 'asking' };
  }
  if (isCurrent) return { ...data, status: 'ready' };
  // A quick Enter must not open a session without these words.
  const sessions = filterSessions(data.sessions, { ...NO_FILTER, text: query });
  return { sessions, total: null, status: 'asking' };
}

function searchLocally(view: FleetView, query: string): SessionSearch {
  const found = filterSessions(view.sessions.values(), { ...NO_FILTER, text: query });
  const sessions = sortSessions(found, 'boundary', false, view.at).slice(0, MOST_SHOWN);
  return { sessions, total: found.length, status: 'ready' };
}
