/** One side of a comparison, read over the API. */
import type { Figures } from '@/core/api/figures';
import type { ContextList, EventList } from '@/core/api/responses';
import type { Series, SeriesPoint } from '@/core/api/series';
import type { Context, Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { BOUNDARY_KINDS } from '@/core/events/kinds';
import { fetchJson } from '../../data/fetch-json';
import type { SideRef } from '../../sessions/compare-url';

export type SideName = 'a' | 'b';

export interface SideData {
  session: Session;
  /** Null: the whole session. */
  context: number | null;
  /** Contexts of the main chain, in order. */
  contexts: readonly Context[];
  /** Boundaries of the main chain, oldest first. */
  events: readonly SessionEvent[];
  /** Only points of this side. */
  points: readonly SeriesPoint[];
  figures: Figures;
}

export type Side =
  | { type: 'empty' }
  | { type: 'found'; data: SideData }
  /** `context`: the session exists, but the context does not. */
  | { type: 'missing'; ref: SideRef; why: 'unknown' | 'deleted' | 'context' };

export const MOST_BOUNDARIES = 1_000;

/** Points of one context, or all. The series of a time range also has points of neighbouring contexts. */
export function pointsOf(points: readonly SeriesPoint[], context: number | null): SeriesPoint[] {
  return points.filter((point) => context === null || point.context === context);
}

export async function fetchSide(id: string, context: number | null, signal: AbortSignal): Promise<SideData> {
  const path = `/api/v1/sessions/${encodeURIComponent(id)}`;
  const read = <T>(rest: string) => fetchJson<T>(`${path}${rest}`, { signal });
  const kinds = new URLSearchParams({ chain: 'main', order: 'asc', limit: String(MOST_BOUNDARIES) });
  for (const kind of BOUNDARY_KINDS) kinds.append('kind', kind);
  // Read the figures first, so that the other data is at least as new as the figures.
  const figures = await read<Figures>(`/figures${context === null ? '' : `?context=${context}`}`);
  const [session, { contexts }, { events }] = await Promise.all([
    read<Session>(''),
    read<ContextList>('/contexts?chain=main'),
    read<EventList>(`/events?${kinds}`),
  ]);
  const range = new URLSearchParams();
  const own = contexts.find(({ index }) => index === context);
  if (own?.startedAt != null) range.set('from', own.startedAt);
  if (own?.endedAt != null) range.set('to', own.endedAt);
  const series = await read<Series>(`/series?${range}`);
  return { session, context, contexts, events, points: pointsOf(series.points, context), figures };
}
