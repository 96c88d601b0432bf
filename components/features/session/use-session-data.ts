'use client';
/**
 * What the session page shows, kept up to date. Where the live feed cannot simply append, the part is read again,
 * and the last data stays on screen until the answer is in.
 */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ChainComposition } from '@/core/api/composition';
import type { NoteList } from '@/core/api/notes';
import type { EventDetails, EventList } from '@/core/api/responses';
import type { Series, SeriesPoint, SubAgentList } from '@/core/api/series';
import type { Context } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { DRAWN_KINDS } from '@/core/events/kinds';
import { replaceEvents, replaceSeries, type SessionView, sessionView } from '@/core/live/apply-session-frame';
import { useLiveRefresh } from '../../data/use-live-refresh';
import { useLiveSession } from '../../data/use-live-session';
import type { PartState } from '../../ui/part-notice';
import { usePartState } from '../../ui/part-notice';
import { joinEvents } from './session-events';
import {
  fetchCompositions,
  fetchContexts,
  fetchEvents,
  fetchEventsWithin,
  fetchMarks,
  fetchSeries,
  fetchSubAgents,
  LIVE_PART,
  MOST_MARKS,
} from './session-queries';
import type { SessionUrl } from './session-url';
import { joinZoomed } from './visible-points';

export interface SessionPageData {
  session: SessionView['session'];
  series: Series;
  contexts: Context[];
  /** The newest composition of each chain. */
  compositions: ChainComposition[];
  /** The newest events, oldest first. */
  events: SessionEvent[];
  /** Events that the sheet draws, and the one the address names, however old; oldest first. */
  marks: SessionEvent[];
  /** Older marks are read once the page is drawn. */
  moreMarks: boolean;
  /** Cursor of the older events; null: these are all. */
  olderCursor: string | null;
  /** Details of the last compaction; null: there was none. */
  details: EventDetails | null;
  notes: NoteList;
  /** The server's time of the reads, milliseconds. */
  at: number;
}

/** Older events, read a page at a time on request. */
export interface OlderEvents {
  more: boolean;
  load: () => void;
  loading: boolean;
  failed: boolean;
}

export interface SessionData {
  view: SessionView;
  points: readonly SeriesPoint[];
  overlay: { lens: Series['lens']; points: readonly SeriesPoint[] } | null;
  /** Sub-agents in the range, where they are shown. */
  subAgents: SubAgentList | null;
  contexts: readonly Context[];
  compositions: readonly ChainComposition[];
  /** All loaded events, oldest first; before `wholeFrom` only some. */
  events: readonly SessionEvent[];
  /** The first event from which on all are loaded; null: all of the session are. */
  wholeFrom: string | null;
  /** All compactions are loaded, so they can be numbered. */
  marksComplete: boolean;
  /** A part is being read. */
  loading: boolean;
  parts: Record<'sheet' | 'lens' | 'events' | 'contexts' | 'compositions', readonly PartState[]>;
  olderEvents: OlderEvents;
}

export function useSessionData(initial: SessionPageData, url: SessionUrl): SessionData {
  const [first] = useState(() => sessionView(initial.session, initial.series, initial.events, initial.at));
  const { view, update } = useLiveSession(first);
  const { session } = view;
  const { id } = session;
  const key = ['sessions', id] as const;

  const series = useQuery({
    ...LIVE_PART,
    queryKey: [...key, 'series'],
    queryFn: ({ signal }) => fetchSeries(id, session.lens, { from: null, to: null }, signal),
    initialData: initial.series,
  });
  useLiveRefresh(series, view.seriesWanted, null);
  useEffect(() => update((held) => replaceSeries(held, series.data)), [series.data, update]);

  const contextsHint = `${session.contextCount} ${session.complete} ${session.compactions} ${session.continuations}`;
  const contexts = useQuery({
    ...LIVE_PART,
    queryKey: [...key, 'contexts'],
    queryFn: ({ signal }) => fetchContexts(id, 'main', signal),
    initialData: { sessionId: id, contexts: initial.contexts },
  });
  useLiveRefresh(contexts, contextsHint);

  const compositions = useQuery({
    ...LIVE_PART,
    queryKey: [...key, 'compositions'],
    queryFn: ({ signal }) => fetchCompositions(id, signal),
    initialData: { sessionId: id, compositions: initial.compositions },
  });
  const { compositionVersion, contextCount } = session;
  // A late turn or boundary moves a composition: the series is read again then.
  const compositionsHint = `${compositionVersion} ${contextCount} ${series.dataUpdatedAt}`;
  useLiveRefresh(compositions, compositionVersion === null ? null : compositionsHint, compositionsHint);

  const range = useRange(view, url, series.dataUpdatedAt);
  const events = useSessionEvents(initial, view, update, url);
  const points = useMemo(() => joinZoomed(view.points, range.zoomed), [view.points, range.zoomed]);
  const parts = {
    sheet: [usePartState(series, [...key, 'series']), ...range.sheetParts],
    lens: [range.lensPart],
    events: events.parts,
    contexts: [usePartState(contexts, [...key, 'contexts'])],
    compositions: [usePartState(compositions, [...key, 'compositions'])],
  };
  return {
    view,
    points,
    overlay: range.overlay,
    subAgents: range.subAgents,
    contexts: contexts.data.contexts,
    compositions: compositions.data.compositions,
    events: events.all,
    marksComplete: events.marksComplete,
    wholeFrom: events.wholeFrom,
    loading: Object.values(parts).some((panel) => panel.some(({ pending }) => pending)),
    parts,
    olderEvents: events.older,
  };
}

/** What depends on the range and lens of the address: a zoomed series, another lens, sub-agents. */
function useRange({ session, points }: SessionView, { from, to, ...url }: SessionUrl, reread: number) {
  const { id, lens } = session;
  const key = ['sessions', id, from, to] as const;
  // A short session is loaded turn by turn: zooming needs no read.
  const isZoomed = (from !== null || to !== null) && points.some(({ turns }) => turns > 1);
  const zoom = useQuery({
    ...LIVE_PART,
    queryKey: [...key, 'zoom', lens],
    queryFn: ({ signal }) => fetchSeries(id, lens, { from, to }, signal),
    enabled: isZoomed,
  });
  useLiveRefresh(zoom, reread);
  const overlay = useQuery({
    ...LIVE_PART,
    queryKey: [...key, 'overlay', url.lens],
    queryFn: ({ signal }) => fetchSeries(id, url.lens ?? lens, { from, to }, signal),
    enabled: url.lens !== null && url.lens !== lens,
    placeholderData: keepPreviousData,
  });
  useLiveRefresh(overlay, session.turnCount);
  const subAgents = useQuery({
    ...LIVE_PART,
    queryKey: [...key, 'sub-agents', lens],
    queryFn: ({ signal }) => fetchSubAgents(id, lens, { from, to }, signal),
    enabled: url.agents,
    placeholderData: keepPreviousData,
  });
  useLiveRefresh(subAgents, `${session.totals.side.calls} ${reread}`);
  const over = overlay.isEnabled && overlay.data?.lens === url.lens ? overlay.data : null;
  return {
    zoomed: isZoomed ? (zoom.data?.points ?? null) : null,
    overlay: useMemo(() => over && { lens: over.lens, points: over.points }, [over]),
    subAgents: url.agents ? (subAgents.data ?? null) : null,
    sheetParts: [
      usePartState(zoom, [...key, 'zoom', lens]),
      usePartState(subAgents, [...key, 'sub-agents', lens]),
    ],
    lensPart: usePartState(overlay, [...key, 'overlay', url.lens]),
  };
}

const NONE: readonly SessionEvent[] = [];

/** The newest events, marks of the sheet, older pages, and the events of a zoomed range, as one list. */
function useSessionEvents(
  initial: SessionPageData,
  view: SessionView,
  update: (change: (view: SessionView) => SessionView) => void,
  { from, to }: SessionUrl,
) {
  const { id } = initial.session;
  const key = ['sessions', id] as const;
  const newest = useQuery({
    ...LIVE_PART,
    queryKey: [...key, 'events'],
    queryFn: async ({ signal }) => {
      const version = view.eventsWanted ?? 0;
      const [list, marks] = await Promise.all([fetchEvents(id, null, signal), fetchMarks(id, signal)]);
      return { version, list: list as EventList | null, marks: marks.events.toReversed() };
    },
    initialData: { version: 0, list: null, marks: initial.marks },
  });
  const { list, version, marks: drawn } = newest.data;
  const marksRead = !initial.moreMarks || list !== null;
  useLiveRefresh(newest, view.eventsWanted ?? (marksRead ? null : 0), null);
  useEffect(() => {
    if (list === null) return;
    const isAll = list.nextCursor === null;
    update((held) => replaceEvents(held, list.events.toReversed(), { version, isAll }));
  }, [list, version, update]);

  const older = useInfiniteQuery({
    ...LIVE_PART,
    queryKey: [...key, 'older-events'],
    queryFn: ({ pageParam, signal }) => fetchEvents(id, pageParam, signal),
    initialPageParam: initial.olderCursor,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: false,
    retry: false,
    refetchInterval: false,
  });
  const more = older.data === undefined ? initial.olderCursor !== null : older.hasNextPage;
  const isRanged = more && (from !== null || to !== null);
  const within = useQuery({
    ...LIVE_PART,
    queryKey: [...key, 'events', from, to],
    queryFn: ({ signal }) => fetchEventsWithin(id, { from, to }, signal),
    enabled: isRanged,
  });

  // The event of the address is no mark and is not read again.
  const named = useMemo(() => initial.marks.filter(({ kind }) => !DRAWN_KINDS.includes(kind)), [initial]);
  const olderEvents = useMemo(
    () => older.data?.pages.flatMap(({ events }) => events).toReversed() ?? NONE,
    [older.data],
  );
  const whole = useMemo(() => joinEvents([view.events, olderEvents]), [view.events, olderEvents]);
  const ranged = isRanged ? within.data : undefined;
  const all = useMemo(
    () => joinEvents([whole, drawn, named, ranged?.events.toReversed() ?? NONE]),
    [whole, drawn, named, ranged],
  );
  return {
    all,
    wholeFrom: more ? (whole[0]?.id ?? null) : null,
    marksComplete: !more || (marksRead && drawn.length < MOST_MARKS),
    parts: [usePartState(newest, [...key, 'events']), usePartState(within, [...key, 'events', from, to])],
    older: {
      more,
      load: () => void older.fetchNextPage(),
      loading: older.isFetching,
      failed: older.isError && !older.isFetching,
    },
  };
}
