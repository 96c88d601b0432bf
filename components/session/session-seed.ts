/** What a session's page begins with, on its way from the server: lists as text (core/live/pack-rows.ts). */
import type { SeriesPoint } from '@/core/api/series';
import type { Context, SessionEvent } from '@/core/api/session';
import { packRows, unpackRows } from '@/core/live/pack-rows';
import type { SessionPageData } from './use-session-data';

export interface SessionSeed extends Omit<SessionPageData, 'series' | 'contexts' | 'events' | 'marks'> {
  series: Omit<SessionPageData['series'], 'points'>;
  points: string;
  contexts: string;
  events: string;
  marks: string;
}

export function makeSessionSeed({ series, contexts, events, marks, ...rest }: SessionPageData): SessionSeed {
  const { points, ...read } = series;
  return {
    ...rest,
    series: read,
    points: packRows(points),
    contexts: packRows(contexts),
    events: packRows(events),
    marks: packRows(marks),
  };
}

export function readSessionSeed({
  points,
  series,
  contexts,
  events,
  marks,
  ...rest
}: SessionSeed): SessionPageData {
  return {
    ...rest,
    series: { ...series, points: unpackRows<SeriesPoint>(points) },
    contexts: unpackRows<Context>(contexts),
    events: unpackRows<SessionEvent>(events),
    marks: unpackRows<SessionEvent>(marks),
  };
}
