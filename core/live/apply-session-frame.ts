import type { Series, SeriesPoint } from '../api/series';
import type { Session } from '../api/session';
import type { SessionEvent } from '../events/event';
import type { LiveFrame } from './protocol';

/** State of a session's page: its main chain in the session's own lens. */
export interface SessionView {
  session: Session;
  /** False once the server reports that the session does not exist. */
  found: boolean;
  /** Id of the session that adopted this one. */
  movedTo: string | null;
  points: readonly SeriesPoint[];
  events: readonly SessionEvent[];
  /** Minimum version of a series that makes the points complete. Null: the points are complete. */
  seriesWanted: number | null;
  /** Minimum version of the events that makes them complete. Null: the events are complete. */
  eventsWanted: number | null;
  /** Version of the last frame with events, which an earlier read of the events lacks. */
  eventsVersion: number;
  at: number;
  /** The server run that sent the last frame; null before the first. Versions compare within one run. */
  epoch: string | null;
}

export type SessionFrame = Extract<LiveFrame, { type: 'session_snapshot' | 'session_delta' | 'not_found' }>;

/** Beyond this number of points, a thinned series is fetched. */
const MAX_LIVE_POINTS = 600;

/** A view of data that was loaded with the page. If the data is outdated, the first frame requests it again. */
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
    eventsVersion: 0,
    at,
    epoch: null,
  };
}

/** Apply a frame of the view's session. Frames of other sessions change nothing. */
export function applySessionFrame(view: SessionView, frame: SessionFrame): SessionView {
  if (frame.id !== view.session.id) return view;
  const base = { found: true, movedTo: null, at: frame.now, epoch: frame.epoch };
  switch (frame.type) {
    case 'not_found':
      return { ...view, ...base, found: false, movedTo: frame.movedTo ?? null };
    case 'session_snapshot': {
      const { version } = frame.session;
      const otherRun = view.epoch !== null && view.epoch !== frame.epoch;
      // The snapshot has no points: everything since the last frame must be fetched.
      const missed = otherRun || version > view.session.version ? version : null;
      return {
        ...view,
        ...base,
        session: otherRun || version >= view.session.version ? frame.session : view.session,
        seriesWanted: missed ?? view.seriesWanted,
        eventsWanted: missed ?? view.eventsWanted,
        eventsVersion: otherRun ? 0 : view.eventsVersion,
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
        eventsVersion: frame.events?.length ? version : view.eventsVersion,
      };
    }
  }
}

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

/** Apply the newest events, oldest first. Earlier events stay. @param version the session's version of this read */
export function replaceEvents(
  view: SessionView,
  events: readonly SessionEvent[],
  { version, isAll }: { version: number; isAll: boolean },
): SessionView {
  // While the events were read, a frame brought newer ones.
  if (version < view.eventsVersion) return { ...view, eventsWanted: view.eventsVersion };
  const whole = view.eventsWanted === null || version >= view.eventsWanted;
  const before = isAll ? [] : eventsBefore(view.events, events);
  return {
    ...view,
    events: before.length === 0 ? events : [...before, ...events],
    eventsWanted: whole ? null : view.eventsWanted,
  };
}

/** Known events before the first fetched event. If that event is not known, times decide. */
function eventsBefore(held: readonly SessionEvent[], fetched: readonly SessionEvent[]): SessionEvent[] {
  const first = fetched[0];
  if (!first) return [];
  const place = held.findIndex(({ id }) => id === first.id);
  const known = new Set(fetched.map(({ id }) => id));
  const before = place === -1 ? held.filter(({ at }) => at < first.at) : held.slice(0, place);
  return before.filter(({ id }) => !known.has(id));
}

/** Append `sent` and replace turns that grew. Null: turns are missing, or `sent` starts inside a bucket. */
function mergePoints(held: readonly SeriesPoint[], sent: readonly SeriesPoint[]): SeriesPoint[] | null {
  const first = sent[0];
  if (!first) return [...held];
  // A reading has the number of the turn before it, so the time distinguishes them.
  const isBefore = (point: SeriesPoint) => point.n < first.n || (point.n === first.n && point.t < first.t);
  const keep = held.findLastIndex(isBefore) + 1;
  const before = held[keep - 1];
  const replaced = held[keep];
  if (replaced && replaced.n - replaced.turns < first.n - first.turns) return null;
  if ((before?.n ?? 0) !== first.n - first.turns) return null;
  return [...held.slice(0, keep), ...sent];
}

function mergeEvents(held: readonly SessionEvent[], sent: readonly SessionEvent[]): SessionEvent[] {
  const known = new Map(held.map((event) => [event.id, event]));
  for (const event of sent) {
    const old = known.get(event.id);
    if (!old || event.revision >= old.revision) known.set(event.id, event);
  }
  return [...known.values()];
}
