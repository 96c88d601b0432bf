/** What the session page reads over the API. */
import type { CompositionList } from '@/core/api/composition';
import type { ContextList, EventDetails, EventList, TurnList } from '@/core/api/responses';
import type { Series, SubAgentList } from '@/core/api/series';
import { DRAWN_KINDS } from '@/core/events/kinds';
import { fetchJson } from '../../data/fetch-json';

/** Options of what the page came with and live hints refresh: kept while it is on screen, never across visits. */
export const LIVE_PART = {
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
} as const;

/** Milliseconds; null: open. */
export interface TimeRange {
  from: number | null;
  to: number | null;
}

/** Points of one read: about as many as a chart has pixels for. */
const POINTS = 300;
const EVENTS_PAGE = 200;
/** Marks read at once: a session with more of them numbers no compactions. */
export const MOST_MARKS = 1_000;

function sessionPath(id: string): string {
  return `/api/v1/sessions/${encodeURIComponent(id)}`;
}

function withRange({ from, to }: TimeRange, params: Record<string, string>): URLSearchParams {
  const search = new URLSearchParams(params);
  if (from !== null) search.set('from', String(Math.floor(from)));
  if (to !== null) search.set('to', String(Math.ceil(to)));
  return search;
}

export function fetchSeries(
  id: string,
  lens: Series['lens'],
  range: TimeRange,
  signal: AbortSignal,
): Promise<Series> {
  return fetchJson(`${sessionPath(id)}/series?${withRange(range, { lens, points: String(POINTS) })}`, {
    signal,
  });
}

/** Sub-agents active in a range, each with its points. */
export function fetchSubAgents(
  id: string,
  lens: Series['lens'],
  range: TimeRange,
  signal: AbortSignal,
): Promise<SubAgentList> {
  return fetchJson(`${sessionPath(id)}/sub-agents?${withRange(range, { lens })}`, { signal });
}

/** The newest events, or those before a cursor. */
export function fetchEvents(id: string, cursor: string | null, signal: AbortSignal): Promise<EventList> {
  const search = new URLSearchParams({ limit: String(EVENTS_PAGE), ...(cursor === null ? {} : { cursor }) });
  return fetchJson(`${sessionPath(id)}/events?${search}`, { signal });
}

/** The newest events of a range. */
export function fetchEventsWithin(id: string, range: TimeRange, signal: AbortSignal): Promise<EventList> {
  return fetchJson(`${sessionPath(id)}/events?${withRange(range, { limit: String(EVENTS_PAGE) })}`, {
    signal,
  });
}

/** Events that the sheet draws, however old. */
export function fetchMarks(id: string, signal: AbortSignal): Promise<EventList> {
  const search = new URLSearchParams({ limit: String(MOST_MARKS) });
  for (const kind of DRAWN_KINDS) search.append('kind', kind);
  return fetchJson(`${sessionPath(id)}/events?${search}`, { signal });
}

/** One event in full, and of a compaction the calls around it. */
export function fetchEventDetails(id: string, signal: AbortSignal): Promise<EventDetails> {
  return fetchJson(`/api/v1/events/${encodeURIComponent(id)}`, { signal });
}

/** @param chain null: contexts of all chains */
export function fetchContexts(id: string, chain: 'main' | null, signal: AbortSignal): Promise<ContextList> {
  return fetchJson(`${sessionPath(id)}/contexts${chain === null ? '' : `?chain=${chain}`}`, { signal });
}

/** The newest composition of each chain. */
export function fetchCompositions(id: string, signal: AbortSignal): Promise<CompositionList> {
  return fetchJson(`${sessionPath(id)}/compositions`, { signal });
}

/** Counted turns of a chain, or of one of its contexts. */
export interface TurnFilter {
  id: string;
  chain: string;
  /** Null: all contexts of the chain. */
  context: number | null;
}

export function fetchTurns(
  { id, chain, context }: TurnFilter,
  params: Record<string, string>,
  signal: AbortSignal,
): Promise<TurnList> {
  const search = new URLSearchParams({ chain, counted: 'yes', ...params });
  if (context !== null) search.set('context', String(context));
  return fetchJson(`${sessionPath(id)}/turns?${search}`, { signal });
}

/** Path of a file of the session. */
export function exportPath(id: string, list: 'turns' | 'events' | 'notes', format: 'csv' | 'json'): string {
  return `${sessionPath(id)}/${list}?format=${format}`;
}
