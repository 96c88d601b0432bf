'use client';
/** Reads of the session page over the API. */
import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import type { EventDetails } from '@/core/api/responses';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { fetchJson } from '../../data/fetch-json';
import { useLiveRefresh } from '../../data/use-live-refresh';
import { type PartState, partState } from '../../ui/part-notice';

/** For parts that live hints refresh: kept while they are on screen, never across visits. */
export const LIVE_PART = {
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
} as const;

type Params = Record<string, string | number | null | readonly string[]>;

/** Path of a part of a session: `turns`. Parameters that are null are left out. */
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
  /** The last data stays while another key is read. */
  keeps?: boolean;
  hint?: number | string | null;
  answered?: number | string | null;
}

/** A query that live hints refresh, with the state for its notice. */
export function useRead<T>({ keeps = false, hint = null, answered = hint, ...options }: ReadOptions<T>) {
  const held = keeps ? { placeholderData: keepPreviousData } : {};
  const query = useQuery({ ...LIVE_PART, ...held, ...options } as UseQueryOptions<T>);
  useLiveRefresh(query, hint, answered);
  const part = partState(query);
  return { data: query.data, readAt: query.dataUpdatedAt, part };
}

export interface HeldDetails {
  /** Null: not read yet, or the event in the list is complete. */
  details: EventDetails | null;
  part: PartState;
}

/**
 * The full texts of an event, and the calls around a compaction.
 * @param initial what the page came with, of this event or of another one
 */
export function useEventDetails(
  event: SessionEvent | null,
  session: Session,
  initial: EventDetails | null = null,
): HeldDetails {
  const id = event?.id ?? '';
  const queryKey = ['events', id, event?.revision];
  const query = useQuery({
    ...LIVE_PART,
    queryKey,
    queryFn: ({ signal }) => fetchJson<EventDetails>(`/api/v1/events/${encodeURIComponent(id)}`, { signal }),
    enabled: event !== null && hasMore(event),
    initialData: initial !== null && initial.event.id === id ? initial : undefined,
  });
  const details = query.data ?? null;
  useLiveRefresh(query, missingFrom(details, session));
  return { details, part: partState(query) };
}

function hasMore(event: SessionEvent): boolean {
  return event.cut !== undefined || (event.kind === 'compaction' && event.detail.state === 'confirmed');
}

/** Changes while calls around the compaction are still missing. */
function missingFrom(details: EventDetails | null, { turnCount, totals }: Session): string | null {
  if (details === null || details.calls === null) return null;
  const { after, summary } = details.calls;
  if (after !== null && summary !== null) return null;
  return `${after === null ? turnCount : ''} ${totals.side.calls}`;
}
