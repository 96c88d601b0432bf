/** What a session's page begins with, on its way from the server: lists as JSON text, which Next need not revive value by value. */
import type { SeriesPoint } from '@/core/api/series';
import type { Context } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
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
    points: JSON.stringify(points),
    contexts: JSON.stringify(contexts),
    events: JSON.stringify(events),
    marks: JSON.stringify(marks),
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
    series: { ...series, points: JSON.parse(points) as SeriesPoint[] },
    contexts: JSON.parse(contexts) as Context[],
    events: JSON.parse(events) as SessionEvent[],
    marks: JSON.parse(marks) as SessionEvent[],
  };
}
