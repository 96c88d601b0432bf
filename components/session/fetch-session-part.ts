/** What the session page reads again by itself, over the read API. */
import type { CompositionList } from '@/core/api/composition';
import type { ContextList, EventDetails, EventList } from '@/core/api/responses';
import type { Series } from '@/core/api/series';
import type { SubAgentList } from '@/core/api/sub-agents';
import { MARK_KINDS } from './session-events';

/** What has not answered by then does not answer: it is asked for again. Milliseconds. */
const PATIENCE_MS = 30_000;

async function read<T>(path: string, ended: AbortSignal): Promise<T> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(PATIENCE_MS)]);
  const answer = await fetch(path, { signal, headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()) as T;
}

export interface SeriesQuery {
  id: string;
  lens: Series['lens'];
  /** Milliseconds; null: open. */
  from: number | null;
  to: number | null;
}

export function fetchSeries({ id, lens, from, to }: SeriesQuery, signal: AbortSignal): Promise<Series> {
  const params = new URLSearchParams({ lens, points: '300' });
  if (from !== null) params.set('from', String(Math.floor(from)));
  if (to !== null) params.set('to', String(Math.ceil(to)));
  return read<Series>(`/api/v1/sessions/${encodeURIComponent(id)}/series?${params}`, signal);
}

/** Sub-agents at work in a range, each with its points; milliseconds, null: open. */
export function fetchSubAgents(
  { id, lens, from, to }: SeriesQuery,
  signal: AbortSignal,
): Promise<SubAgentList> {
  const params = new URLSearchParams({ lens });
  if (from !== null) params.set('from', String(Math.floor(from)));
  if (to !== null) params.set('to', String(Math.ceil(to)));
  return read<SubAgentList>(`/api/v1/sessions/${encodeURIComponent(id)}/sub-agents?${params}`, signal);
}

const EVENTS_PAGE = '200';
/** Marks the sheet draws: the newest of them, should a session have more. */
export const MOST_MARKS = '1000';

/** The newest events; `cursor` goes on to older ones. */
export function fetchEvents(id: string, cursor: string | null, signal: AbortSignal): Promise<EventList> {
  return readEvents(id, { limit: EVENTS_PAGE, ...(cursor === null ? {} : { cursor }) }, signal);
}

/** What the sheet draws marks for, however far back it lies. */
export function fetchMarks(id: string, signal: AbortSignal): Promise<EventList> {
  const params = new URLSearchParams({ limit: MOST_MARKS });
  for (const kind of MARK_KINDS) params.append('kind', kind);
  return readEvents(id, params, signal);
}

/** The newest events of a stretch of time; milliseconds, null: open. */
export function fetchEventsWithin(
  id: string,
  { from, to }: Pick<SeriesQuery, 'from' | 'to'>,
  signal: AbortSignal,
): Promise<EventList> {
  const params = new URLSearchParams({ limit: EVENTS_PAGE });
  if (from !== null) params.set('from', String(Math.floor(from)));
  if (to !== null) params.set('to', String(Math.ceil(to)));
  return readEvents(id, params, signal);
}

function readEvents(
  id: string,
  query: URLSearchParams | Record<string, string>,
  signal: AbortSignal,
): Promise<EventList> {
  const params = new URLSearchParams(query);
  return read<EventList>(`/api/v1/sessions/${encodeURIComponent(id)}/events?${params}`, signal);
}

/** One event whole, and of a compaction the calls around it. */
export function fetchEventDetails(id: string, signal: AbortSignal): Promise<EventDetails> {
  return read<EventDetails>(`/api/v1/events/${encodeURIComponent(id)}`, signal);
}

export function fetchContexts(id: string, signal: AbortSignal): Promise<ContextList> {
  return read<ContextList>(`/api/v1/sessions/${encodeURIComponent(id)}/contexts?chain=main`, signal);
}

/** What the contexts are made of, the newest of each chain. */
export function fetchCompositions(id: string, signal: AbortSignal): Promise<CompositionList> {
  return read<CompositionList>(`/api/v1/sessions/${encodeURIComponent(id)}/compositions`, signal);
}
