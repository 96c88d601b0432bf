'use client';
/** Reads of the session page over the API. */
import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { EventDetails } from '@/core/api/responses';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { fetchJson } from '../../data/fetch-json';
import { useLiveRefresh } from '../../data/use-live-refresh';
import { partState } from '../../ui/part-notice';

/** Options of parts that live hints refresh. The data is kept while the part is on screen, not across visits. */
export const LIVE_PART = {
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
} as const;

type Params = Record<string, string | number | null | readonly string[]>;

/** API path of a part of a session, such as `turns`. Null parameters are left out. */
export function sessionPath(id: string, part: string, params: Params): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) if (one !== null) search.append(name, String(one));
  }
  return `/api/v1/sessions/${encodeURIComponent(id)}/${part}?${search}`;
}

export function readPart<T>(id: string, part: string, params: Params = {}) {
  return ({ signal }: { signal: AbortSignal }) => fetchJson<T>(sessionPath(id, part, params), { signal });
}

interface ReadOptions<T> {
  queryKey: readonly unknown[];
  queryFn: (context: { signal: AbortSignal }) => Promise<T>;
  initialData?: T | undefined;
  enabled?: boolean;
  /** Keep the last data while another key is read. */
  keeps?: boolean;
  /** A value that changes with the data on the server, or a function that derives it from the data read. */
  hint?: number | string | null | ((data: T | undefined) => string | null);
  /** The hint for which the initial data was read. By default, that is the current hint. */
  answered?: number | string | null;
}

/** A query that live hints refresh, and the state for the notice of its part. */
export function useRead<T>({ keeps = false, hint = null, answered, ...options }: ReadOptions<T>) {
  const held = keeps ? { placeholderData: keepPreviousData } : {};
  const query = useQuery({ ...LIVE_PART, ...held, ...options } as UseQueryOptions<T>);
  useLiveRefresh(query, typeof hint === 'function' ? hint(query.data) : hint, answered);
  const part = partState(query);
  return { data: query.data, readAt: query.dataUpdatedAt, part };
}

/** `data` is undefined until the first read. An event that the list already contains in full is not read. */
export type HeldDetails = ReturnType<typeof useEventDetails>;

/**
 * The full texts of an event, and the calls around a compaction.
 * @param initial details that the page loaded, of this event or another one
 */
export function useEventDetails(
  event: SessionEvent | null,
  { turnCount, totals }: Session,
  initial: EventDetails | null = null,
) {
  const id = event?.id ?? '';
  const isConfirmed = event?.kind === 'compaction' && event.detail.state === 'confirmed';
  return useRead<EventDetails>({
    queryKey: ['events', id, event?.revision],
    queryFn: ({ signal }) => fetchJson(`/api/v1/events/${encodeURIComponent(id)}`, { signal }),
    enabled: event !== null && (event.cut !== undefined || isConfirmed),
    initialData: initial?.event.id === id ? initial : undefined,
    // Refresh while calls around the compaction are missing.
    hint: (details) => {
      const { after, summary } = details?.calls ?? { after: undefined, summary: undefined };
      if (after !== null && summary !== null) return null;
      return `${after === null ? turnCount : ''} ${totals.side.calls}`;
    },
  });
}
