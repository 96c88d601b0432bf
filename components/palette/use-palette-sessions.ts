'use client';
/**
 * Sessions for the palette. Where the page holds the whole fleet it is searched here, at once; elsewhere, and where
 * the fleet is larger than what is held, the server is asked, a moment after the last letter. What was found stays
 * until its successor is here.
 */
import { useEffect, useMemo, useState } from 'react';
import type { SessionList } from '@/core/api/responses';
import type { Session } from '@/core/api/session';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { filterSessions } from '../fleet/filter-sessions';
import { NO_FILTER } from '../fleet/fleet-query';
import { sortSessions } from '../fleet/sort-sessions';

/** How many are shown: what one sees without scrolling. */
export const MOST_SESSIONS = 8;
const REST_MS = 120;

export interface PaletteSessions {
  sessions: readonly Session[];
  /** Sessions that match, shown or not; null: not known yet. */
  total: number | null;
  status: 'ready' | 'asking' | 'failed';
}

interface Answer {
  query: string;
  list: SessionList | null;
}

/** @param held the fleet that the page shows and keeps up to date; null: it shows none */
export function usePaletteSessions(query: string, held: FleetView | null): PaletteSessions {
  const complete = held !== null && held.sessions.size >= held.total ? held : null;
  const asksServer = complete === null;
  const [answer, setAnswer] = useState<Answer | null>(null);

  useEffect(() => {
    if (!asksServer) return;
    const controller = new AbortController();
    const timer = setTimeout(
      () => {
        askServer(query, controller.signal).then(
          (list) => setAnswer({ query, list }),
          () => {
            if (!controller.signal.aborted) setAnswer((last) => ({ query, list: last?.list ?? null }));
          },
        );
      },
      query === '' ? 0 : REST_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, asksServer]);

  const local = useMemo(() => (complete === null ? null : searchHeld(complete, query)), [complete, query]);
  if (local !== null) return local;
  return fromAnswer(answer, query);
}

function searchHeld(view: FleetView, query: string): PaletteSessions {
  const found = filterSessions(view.sessions.values(), { ...NO_FILTER, text: query });
  const sessions = sortSessions(found, 'boundary', false, view.at).slice(0, MOST_SESSIONS);
  return { sessions, total: found.length, status: 'ready' };
}

async function askServer(query: string, signal: AbortSignal): Promise<SessionList> {
  const params = new URLSearchParams({ limit: String(MOST_SESSIONS) });
  if (query !== '') params.set('q', query.slice(0, 200));
  const response = await fetch(`/api/v1/sessions?${params}`, { signal });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return (await response.json()) as SessionList;
}

/** What to show of the last answer while another query stands in the field. */
export function fromAnswer(answer: Answer | null, query: string): PaletteSessions {
  if (answer === null) return { sessions: [], total: null, status: 'asking' };
  const { list } = answer;
  const isCurrent = answer.query === query;
  if (list === null) return { sessions: [], total: null, status: isCurrent ? 'failed' : 'asking' };
  if (isCurrent) return { sessions: list.sessions, total: list.total, status: 'ready' };
  // What has not these words must not be opened by a quick Enter.
  const sessions = filterSessions(list.sessions, { ...NO_FILTER, text: query });
  return { sessions, total: null, status: 'asking' };
}
