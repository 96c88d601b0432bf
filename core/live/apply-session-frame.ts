import type { Series, SeriesPoint } from '../api/series';
import type { Session, SessionEvent } from '../api/session';
import type { LiveFrame } from './protocol';

/** What a session's page holds of its main chain, in the session's own lens. */
export interface SessionView {
  session: Session;
  /** False once the server says that there is no such session (any more). */
  found: boolean;
  /** Where it lives on, when another session adopted it. */
  movedTo: string | null;
  points: readonly SeriesPoint[];
  events: readonly SessionEvent[];
  /** Version that a series must be read at to be whole again; null: the points held are whole. */
  seriesWanted: number | null;
  /** The same for the events. */
  eventsWanted: number | null;
  /** The server's time of the last frame, milliseconds. */
  at: number;
  /** The server run that sent the last frame; null before the first. Versions compare within one run. */
  epoch: string | null;
}

export type SessionFrame = Extract<LiveFrame, { type: 'session_snapshot' | 'session_delta' | 'not_found' }>;

/** Points held before the series is fetched again, thinned. */
export const MAX_LIVE_POINTS = 600;

/**
 * A view from what the page loaded on the server. `series` and `events` may be of different versions than
 * `session`: what is missing is marked as wanted by the first frame.
 */
export function sessionView(
  session: Session,
  series: Series,
  events: readonly SessionEvent[],
  at: number,
): SessionView {
  return {
    session,
    found: true,
    movedTo: null,
    points: series.points,
    events,
    seriesWanted: series.version < session.version ? session.version : null,
    eventsWanted: null,
    at,
    epoch: null,
  };
}

/** The view after a frame of its session; frames of another session leave it as it is. */
export function applySessionFrame(view: SessionView, frame: SessionFrame): SessionView {
  if (frame.id !== view.session.id) return view;
  const base = { found: true, movedTo: null, at: frame.now, epoch: frame.epoch };
  switch (frame.type) {
    case 'not_found':
      return { ...view, ...base, found: false, movedTo: frame.movedTo ?? null };
    case 'session_snapshot': {
      const { version } = frame.session;
      const otherRun = view.epoch !== null && view.epoch !== frame.epoch;
      // The snapshot carries no points: whatever happened since the last frame must be fetched.
      const missed = otherRun || version > view.session.version ? version : null;
      return {
        ...view,
        ...base,
        session: otherRun || version >= view.session.version ? frame.session : view.session,
        seriesWanted: missed ?? view.seriesWanted,
        eventsWanted: missed ?? view.eventsWanted,
      };
    }
    case 'session_delta': {
      const { version } = frame.session;
      if (version < view.session.version) return { ...view, ...base };
      const points = frame.points && mergePoints(view.points, frame.points);
      const events = frame.events && mergeEvents(view.events, frame.events);
      return {
        ...base,
        session: frame.session,
        points: points ?? view.points,
        events: events ?? view.events,
        seriesWanted: points && points.length <= MAX_LIVE_POINTS ? view.seriesWanted : version,
        eventsWanted: events ? view.eventsWanted : version,
      };
    }
  }
}

/** Takes a series that was fetched; points that came in while it was under way stay. */
export function replaceSeries(view: SessionView, series: Series): SessionView {
  const last = series.points.at(-1)?.n ?? 0;
  const tail = view.points.filter((point) => point.n > last);
  const whole = view.seriesWanted === null || series.version >= view.seriesWanted;
  return {
    ...view,
    points: mergePoints(series.points, tail) ?? series.points,
    seriesWanted: whole ? null : view.seriesWanted,
  };
}

/**
 * Takes the newest events, as they were fetched. Those held from before the oldest of them stay; what is held
 * within their stretch and was not fetched is gone from the session.
 * @param events oldest first
 * @param read the session's version they were read at, or an earlier one, and whether these are all there are
 */
export function replaceEvents(
  view: SessionView,
  events: readonly SessionEvent[],
  { version, isAll }: { version: number; isAll: boolean },
): SessionView {
  const whole = view.eventsWanted === null || version >= view.eventsWanted;
  const before = isAll ? [] : eventsBefore(view.events, events);
  return {
    ...view,
    events: before.length === 0 ? events : [...before, ...events],
    eventsWanted: whole ? null : view.eventsWanted,
  };
}

/** Events held from before the first of those fetched; without it among them, by time. */
function eventsBefore(held: readonly SessionEvent[], fetched: readonly SessionEvent[]): SessionEvent[] {
  const first = fetched[0];
  if (!first) return [];
  const place = held.findIndex(({ id }) => id === first.id);
  const known = new Set(fetched.map(({ id }) => id));
  const before = place === -1 ? held.filter(({ at }) => at < first.at) : held.slice(0, place);
  return before.filter(({ id }) => !known.has(id));
}

/**
 * `held` with `sent` behind it. A turn that is already held is replaced (an answer that is still being
 * written grows). Null when they do not meet: turns are missing between them, or one is within a bucket.
 */
export function mergePoints(
  held: readonly SeriesPoint[],
  sent: readonly SeriesPoint[],
): SeriesPoint[] | null {
  const first = sent[0];
  if (!first) return [...held];
  // Readings on their own have the number of the turn before them: time tells them apart.
  const isBefore = (point: SeriesPoint) => point.n < first.n || (point.n === first.n && point.t < first.t);
  const keep = held.findLastIndex(isBefore) + 1;
  const before = held[keep - 1];
  const replaced = held[keep];
  if (replaced && replaced.n - replaced.turns < first.n - first.turns) return null;
  if ((before?.n ?? 0) !== first.n - first.turns) return null;
  return [...held.slice(0, keep), ...sent];
}

/** Events by id, the higher revision kept, in their order: time, then as they came. */
function mergeEvents(held: readonly SessionEvent[], sent: readonly SessionEvent[]): SessionEvent[] {
  const known = new Map(held.map((event) => [event.id, event]));
  for (const event of sent) {
    const old = known.get(event.id);
    if (!old || event.revision >= old.revision) known.set(event.id, event);
  }
  return [...known.values()];
}
