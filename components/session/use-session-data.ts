'use client';
/**
 * What the session page shows, kept up to date: the live view, the contexts, a zoomed range and another lens.
 * It trades a second read for simplicity: whenever the live feed cannot simply append, the part is read anew,
 * and what was there stays on screen until the answer is in.
 */
import { useMemo, useState } from 'react';
import type { ChainComposition } from '@/core/api/composition';
import type { NoteList } from '@/core/api/notes';
import type { EventDetails } from '@/core/api/responses';
import type { Series, SeriesPoint } from '@/core/api/series';
import type { Context, SessionEvent } from '@/core/api/session';
import type { SubAgentList } from '@/core/api/sub-agents';
import { replaceEvents, replaceSeries, type SessionView, sessionView } from '@/core/live/apply-session-frame';
import { useLiveSession } from '../live/use-live-session';
import {
  fetchCompositions,
  fetchContexts,
  fetchEvents,
  fetchEventsWithin,
  fetchMarks,
  fetchSeries,
  fetchSubAgents,
  MOST_MARKS,
} from './fetch-session-part';
import { joinEvents, MARK_KINDS } from './session-events';
import type { SessionUrl } from './session-url';
import { type OlderEvents, useOlderEvents } from './use-older-events';
import { type PartState, useRefreshed } from './use-refreshed';
import { joinZoomed } from './visible-points';

export interface SessionPageData {
  session: SessionView['session'];
  series: Series;
  contexts: Context[];
  /** What the contexts are made of, the newest of each chain. */
  compositions: ChainComposition[];
  /** The newest events, oldest first. */
  events: SessionEvent[];
  /** What the sheet draws marks for, however far back, and the event that the address names; oldest first. */
  marks: SessionEvent[];
  /** There are older marks, which are read once the page stands. */
  moreMarks: boolean;
  /** Older events can be read from here; null: these are all. */
  olderCursor: string | null;
  /** What the last compaction cost; null: there was none, or another boundary stands in its place. */
  details: EventDetails | null;
  /** What operators wrote at its moments. */
  notes: NoteList;
  /** The server's time of the reads, milliseconds. */
  at: number;
}

export interface SessionData {
  view: SessionView;
  points: readonly SeriesPoint[];
  overlay: { lens: Series['lens']; points: readonly SeriesPoint[] } | null;
  /** Sub-agents at work in the range, where they are asked for. */
  subAgents: SubAgentList | null;
  contexts: readonly Context[];
  compositions: readonly ChainComposition[];
  /** All that are held, oldest first; before `wholeFrom` only some. */
  events: readonly SessionEvent[];
  /** The first event from which on all are held; null: all of the session are. */
  wholeFrom: string | null;
  /** All compactions and other marks are held, so that they can be counted. */
  marksComplete: boolean;
  /** A part is being read; the picture shown is the one before. */
  loading: boolean;
  /** How the reads stand that each panel is made of. */
  parts: Record<'sheet' | 'lens' | 'events' | 'contexts' | 'compositions', readonly PartState[]>;
  olderEvents: OlderEvents;
}

const NONE: readonly SessionEvent[] = [];

export function useSessionData(initial: SessionPageData, url: SessionUrl): SessionData {
  const [first] = useState(() => sessionView(initial.session, initial.series, initial.events, initial.at));
  const { view, update } = useLiveSession(first);
  const [contexts, setContexts] = useState<readonly Context[]>(initial.contexts);
  const [zoomed, setZoomed] = useState<{ range: string; points: readonly SeriesPoint[] } | null>(null);
  const [overlay, setOverlay] = useState<{ lens: Series['lens']; points: readonly SeriesPoint[] } | null>(
    null,
  );
  const older = useOlderEvents(initial.session.id, initial.olderCursor);
  const [reread, setReread] = useState(0);
  const { session } = view;
  const { id } = session;

  const series = useRefreshed(
    view.seriesWanted === null ? null : `${view.seriesWanted}`,
    (signal) => fetchSeries({ id, lens: session.lens, from: null, to: null }, signal),
    (value) => {
      update((held) => replaceSeries(held, value));
      setReread((times) => times + 1);
      return value.version >= (view.seriesWanted ?? 0);
    },
  );
  const eventsVersion = view.eventsWanted;
  const [marks, setMarks] = useState<readonly SessionEvent[]>(initial.marks);
  const [marksRead, setMarksRead] = useState(!initial.moreMarks);
  const takeMarks = (drawn: readonly SessionEvent[]) => {
    // What the address names is no mark and is not read again: it stays as the page came with it.
    const named = initial.marks.filter(({ kind }) => !MARK_KINDS.includes(kind));
    setMarks(joinEvents([drawn.toReversed(), named]));
    setMarksRead(true);
  };
  const allMarks = useRefreshed(
    marksRead ? null : 'all',
    (signal) => fetchMarks(id, signal),
    (value) => {
      takeMarks(value.events);
      return true;
    },
  );
  const events = useRefreshed(
    eventsVersion === null ? null : `${eventsVersion}`,
    (signal) => Promise.all([fetchEvents(id, null, signal), fetchMarks(id, signal)]),
    ([newest, drawn], key) => {
      const isAll = newest.nextCursor === null;
      update((held) => replaceEvents(held, newest.events.toReversed(), { version: Number(key), isAll }));
      takeMarks(drawn.events);
      return true;
    },
  );

  const contextsKey = `${session.contextCount} ${session.complete} ${session.compactions} ${session.continuations}`;
  const [contextsRead, setContextsRead] = useState(contextsKey);
  const freshContexts = useRefreshed(
    contextsRead === contextsKey ? null : contextsKey,
    (signal) => fetchContexts(id, signal),
    (value, key) => {
      setContexts(value.contexts);
      setContextsRead(key);
      return true;
    },
  );

  // A late turn or boundary moves the turn it came with: what made the series be read again counts as well.
  const compositionsKey = `${session.compositionVersion} ${session.contextCount} ${reread}`;
  const [compositions, setCompositions] = useState({ key: compositionsKey, held: initial.compositions });
  const freshCompositions = useRefreshed(
    session.compositionVersion === null || compositions.key === compositionsKey ? null : compositionsKey,
    (signal) => fetchCompositions(id, signal),
    (value, key) => {
      setCompositions({ key, held: value.compositions });
      return true;
    },
  );

  // A short session is held turn by turn already: zooming needs no read.
  const wholeIsExact = view.points.every((point) => point.turns === 1);
  const range =
    (url.from === null && url.to === null) || wholeIsExact
      ? null
      : `${url.from ?? ''} ${url.to ?? ''} ${session.lens}`;
  const zoom = useRefreshed(
    // What made the whole series wanted again may have changed the range, too.
    range === null ? null : `${range} ${reread}`,
    (signal) => fetchSeries({ id, lens: session.lens, from: url.from, to: url.to }, signal),
    (value, key) => {
      setZoomed({ range: key.slice(0, key.lastIndexOf(' ')), points: value.points });
      return true;
    },
  );

  const lens = url.lens === session.lens ? null : url.lens;
  const overlayKey = lens === null ? null : `${lens} ${url.from ?? ''} ${url.to ?? ''} ${session.turnCount}`;
  const over = useRefreshed(
    overlayKey,
    (signal) => fetchSeries({ id, lens: lens ?? session.lens, from: url.from, to: url.to }, signal),
    (value) => {
      setOverlay({ lens: value.lens, points: value.points });
      return true;
    },
  );

  const [subAgents, setSubAgents] = useState<SubAgentList | null>(null);
  const agentsRead = useRefreshed(
    url.agents ? `${url.from ?? ''} ${url.to ?? ''} ${session.totals.side.calls} ${reread}` : null,
    (signal) => fetchSubAgents({ id, lens: session.lens, from: url.from, to: url.to }, signal),
    (value) => {
      setSubAgents(value);
      return true;
    },
  );

  const points = useMemo(
    () => joinZoomed(view.points, range !== null && zoomed?.range === range ? zoomed.points : null),
    [view.points, zoomed, range],
  );
  // A stretch that is looked at has its events, also where the newest ones do not reach back to it.
  const isReached = !older.more;
  const withinKey =
    isReached || (url.from === null && url.to === null) ? null : `${url.from ?? ''} ${url.to ?? ''}`;
  const [within, setWithin] = useState<readonly SessionEvent[]>([]);
  const withinRead = useRefreshed(
    withinKey,
    (signal) => fetchEventsWithin(id, url, signal),
    (value) => {
      setWithin(value.events.toReversed());
      return true;
    },
  );
  const whole = useMemo(() => joinEvents([view.events, older.events]), [view.events, older.events]);
  const allEvents = useMemo(
    () => joinEvents([whole, marks, withinKey === null ? NONE : within]),
    [whole, marks, within, withinKey],
  );

  const parts = {
    sheet: [series, zoom, agentsRead],
    lens: [over],
    events: [events, allMarks, withinRead],
    contexts: [freshContexts],
    compositions: [freshCompositions],
  };
  return {
    view,
    points,
    overlay: lens !== null && overlay?.lens === lens ? overlay : null,
    subAgents: url.agents ? subAgents : null,
    contexts,
    compositions: compositions.held,
    events: allEvents,
    marksComplete: isReached || (marksRead && marks.length < Number(MOST_MARKS)),
    wholeFrom: isReached ? null : (whole[0]?.id ?? null),
    loading: Object.values(parts).some((panel) => panel.some(({ pending }) => pending)),
    parts,
    olderEvents: older,
  };
}
