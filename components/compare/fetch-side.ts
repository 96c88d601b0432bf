/** Reads one side of a comparison again, over the read API. */
import type { Figures } from '@/core/api/figures';
import type { ContextList, EventList } from '@/core/api/responses';
import type { Series } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { pointsOf } from './points-of';
import type { SideData } from './side-data';

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const answer = await fetch(path, { signal, headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()) as T;
}

export async function fetchSide(id: string, context: number | null, signal: AbortSignal): Promise<SideData> {
  const path = `/api/v1/sessions/${encodeURIComponent(id)}`;
  // Figures first: whatever is read after them is as new, or newer.
  const figures = await read<Figures>(
    `${path}/figures${context === null ? '' : `?context=${context}`}`,
    signal,
  );
  const [session, { contexts }, { events }] = await Promise.all([
    read<Session>(path, signal),
    read<ContextList>(`${path}/contexts?chain=main`, signal),
    read<EventList>(
      `${path}/events?chain=main&kind=compaction&kind=restart&kind=context_cleared&order=asc&limit=1000`,
      signal,
    ),
  ]);
  const params = new URLSearchParams();
  const own = contexts.find(({ index }) => index === context);
  if (own?.startedAt != null) params.set('from', own.startedAt);
  if (own?.endedAt != null) params.set('to', own.endedAt);
  const series = await read<Series>(`${path}/series?${params}`, signal);
  return { session, context, contexts, events, points: pointsOf(series.points, context), figures };
}
