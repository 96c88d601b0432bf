'use client';
/**
 * The data of the session page, kept up to date. Parts that the live feed cannot append are read again; the last data
 * stays on screen until then.
 */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ChainComposition, CompositionList } from '@/core/api/composition';
import type { NoteList } from '@/core/api/notes';
import type { ContextList, EventDetails, EventList } from '@/core/api/responses';
import type { Series, SubAgentList } from '@/core/api/series';
import type { Context } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { DRAWN_KINDS } from '@/core/events/kinds';
import { replaceEvents, replaceSeries, type SessionView, sessionView } from '@/core/live/apply-session-frame';
import { listBoundaries } from '../../charts/list-marks';
import { fetchJson } from '../../data/fetch-json';
import { useLiveSession } from '../../data/use-live-session';
import { listSpans } from './prepare-strip';
import { joinEvents, joinZoomed } from './session-events';
import { LIVE_PART, readPart, sessionPath, useRead } from './session-reads';
import type { SessionUrl } from './session-url';

export interface SessionPageData {
  session: SessionView['session'];
  series: Series;
  contexts: Context[];
  compositions: ChainComposition[];
  /** The newest events, oldest first. */
  events: SessionEvent[];
  /** Events with marks on the sheet, and the event of the address; oldest first. */
  marks: SessionEvent[];
  /** The page reads older marks after its first paint. */
  moreMarks: boolean;
  /** Cursor of the older events; null: there are none. */
  olderCursor: string | null;
  /** Details of the last compaction; null: there was none. */
  details: EventDetails | null;
  notes: NoteList;
  /** The server's time of the reads, milliseconds. */
  at: number;
}

export type SessionData = ReturnType<typeof useSessionData>;

/** Points of one read: about as many as a chart can show. */
const POINTS = 300;
const EVENTS_PAGE = 200;
const MOST_MARKS = 1_000;

export function useSessionData(initial: SessionPageData, url: SessionUrl) {
  const [first] = useState(() => sessionView(initial.session, initial.series, initial.events, initial.at));
  const { view, update } = useLiveSession(first);
  const { session } = view;
  const { id, lens, contextCount, compositionVersion } = session;

  const series = useRead({
    queryKey: ['sessions', id, 'series'],
    queryFn: readPart<Series>(id, 'series', { lens, points: POINTS }),
    initialData: initial.series,
    hint: view.seriesWanted,
    answered: null,
  });
  const { data: read = initial.series, readAt } = series;
  useEffect(() => update((held) => replaceSeries(held, read)), [read, update]);

  const contexts = useRead({
    queryKey: ['sessions', id, 'contexts'],
    queryFn: readPart<ContextList>(id, 'contexts', { chain: 'main' }),
    initialData: { sessionId: id, contexts: initial.contexts },
    hint: `${contextCount} ${session.complete} ${session.compactions} ${session.continuations}`,
  });
  // A late turn or boundary moves a composition. The series is then read again, so `readAt` is part of the hint.
  const compositionsHint = `${compositionVersion} ${contextCount} ${readAt}`;
  const compositions = useRead({
    queryKey: ['sessions', id, 'compositions'],
    queryFn: readPart<CompositionList>(id, 'compositions'),
    initialData: { sessionId: id, compositions: initial.compositions },
    hint: compositionVersion === null ? null : compositionsHint,
    answered: compositionsHint,
  });

  const range = useRange(view, url, readAt);
  const events = useSessionEvents(initial, view, update, url);
  const points = useMemo(() => joinZoomed(view.points, range.zoomed), [view.points, range.zoomed]);
  const mainContexts = contexts.data?.contexts ?? initial.contexts;
  const { startedAt } = session;
  const { boundaries, spans } = useMemo(() => {
    const boundaries = listBoundaries(mainContexts, events.all, lens);
    return { boundaries, spans: listSpans({ lens, startedAt }, mainContexts, boundaries, view.points) };
  }, [mainContexts, events.all, lens, startedAt, view.points]);
  const parts = {
    sheet: [series.part, ...range.sheetParts],
    lens: [range.lensPart],
    events: events.parts,
    contexts: [contexts.part],
    compositions: [compositions.part],
  };
  const { overlay, subAgents } = range;
  return {
    view,
    /** Points with full detail in the range of the address. */
    points,
    overlay,
    /** Sub-agents in the range; null: not shown. */
    subAgents,
    contexts: mainContexts,
    boundaries,
    spans,
    compositions: compositions.data?.compositions ?? initial.compositions,
    /** All loaded events, oldest first. Events before `wholeFrom` may be missing. */
    events: events.all,
    /** Id of the event after which no event is missing; null: all events of the session are loaded. */
    wholeFrom: events.wholeFrom,
    olderEvents: events.older,
    loading: Object.values(parts).some((panel) => panel.some(({ pending }) => pending)),
    parts,
  };
}

/** The zoomed range as parameters of the API, in whole milliseconds. */
function rangeOf({ from, to }: SessionUrl) {
  return { from: from && Math.floor(from), to: to && Math.ceil(to) };
}

/** Reads that depend on the range and lens of the address: a zoomed series, another lens, sub-agents. */
function useRange({ session, points }: SessionView, url: SessionUrl, seriesReadAt: number) {
  const { id, lens } = session;
  const range = rangeOf(url);
  const key = ['sessions', id, url.from, url.to];
  // A short session is loaded turn by turn: zooming needs no read.
  const isZoomed = (url.from !== null || url.to !== null) && points.some(({ turns }) => turns > 1);
  const zoom = useRead({
    queryKey: [...key, 'zoom', lens],
    queryFn: readPart<Series>(id, 'series', { lens, points: POINTS, ...range }),
    enabled: isZoomed,
    hint: seriesReadAt,
  });
  const isOverlaid = url.lens !== null && url.lens !== lens;
  const overlay = useRead({
    queryKey: [...key, 'overlay', url.lens],
    queryFn: readPart<Series>(id, 'series', { lens: url.lens, points: POINTS, ...range }),
    enabled: isOverlaid,
    keeps: true,
    hint: session.turnCount,
  });
  const subAgents = useRead({
    queryKey: [...key, 'sub-agents', lens],
    queryFn: readPart<SubAgentList>(id, 'sub-agents', { lens, ...range }),
    enabled: url.agents,
    keeps: true,
    hint: `${session.totals.side.calls} ${seriesReadAt}`,
  });
  return {
    zoomed: isZoomed ? (zoom.data?.points ?? null) : null,
    overlay: isOverlaid && overlay.data?.lens === url.lens ? overlay.data : null,
    subAgents: url.agents ? (subAgents.data ?? null) : null,
    sheetParts: [zoom.part, subAgents.part],
    lensPart: overlay.part,
  };
}

const NONE: readonly SessionEvent[] = [];

/** The newest events, marks of the sheet, older pages, and the events of a zoomed range, as one list. */
function useSessionEvents(
  initial: SessionPageData,
  view: SessionView,
  update: (change: (view: SessionView) => SessionView) => void,
  url: SessionUrl,
) {
  const { id } = initial.session;
  const page = { limit: EVENTS_PAGE };
  const [marksRead, setMarksRead] = useState(!initial.moreMarks);
  const newest = useRead({
    queryKey: ['sessions', id, 'events'],
    queryFn: async (context) => {
      const version = view.eventsWanted ?? 0;
      const [list, marks] = await Promise.all([
        readPart<EventList>(id, 'events', page)(context),
        readPart<EventList>(id, 'events', { limit: MOST_MARKS, kind: DRAWN_KINDS })(context),
      ]);
      return { version, list: list as EventList | null, marks: marks.events.toReversed() };
    },
    initialData: { version: 0, list: null, marks: initial.marks },
    hint: view.eventsWanted ?? (marksRead ? null : 0),
    answered: null,
  });
  const { list = null, version = 0, marks: drawn = initial.marks } = newest.data ?? {};
  useEffect(() => {
    if (list === null) return;
    setMarksRead(true);
    const isAll = list.nextCursor === null;
    update((held) => replaceEvents(held, list.events.toReversed(), { version, isAll }));
  }, [list, version, update]);

  const older = useInfiniteQuery({
    ...LIVE_PART,
    queryKey: ['sessions', id, 'older-events'],
    queryFn: ({ pageParam, signal }) =>
      fetchJson<EventList>(sessionPath(id, 'events', { ...page, cursor: pageParam }), { signal }),
    initialPageParam: initial.olderCursor,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: false,
    retry: false,
    refetchInterval: false,
  });
  const more = older.data === undefined ? initial.olderCursor !== null : older.hasNextPage;
  const isRanged = more && (url.from !== null || url.to !== null);
  const within = useRead({
    queryKey: ['sessions', id, 'events', url.from, url.to],
    queryFn: readPart<EventList>(id, 'events', { ...page, ...rangeOf(url) }),
    enabled: isRanged,
  });

  // The event of the address may have no mark. Then no later read returns it.
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
    parts: [newest.part, within.part],
    older: {
      more,
      load: () => void older.fetchNextPage(),
      loading: older.isFetching,
      failed: older.isError && !older.isFetching,
    },
  };
}
