'use client';
import { useMutation } from '@tanstack/react-query';
import { type FocusEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { EventList } from '@/core/api/responses';
import {
  addOlderEvents,
  applyEventsFrame,
  beginEventStream,
  type EventStream,
  joinEvents,
  type OlderEvents,
} from '@/core/live/event-stream';
import { fetchJson } from '../../data/fetch-json';
import { useLive } from '../../data/live-provider';
import { type EventsQuery, eventsSearch, matchEvent } from './events-query';

/** Debounce of a changed query, milliseconds. */
const TYPING_MS = 200;
const PAGE = '200';

/** The current stream, and its copy from the moment at which the hold started; null: not held. */
interface Held {
  stream: EventStream;
  frozen: EventStream | null;
}

/**
 * The live stream of a query. While it is held, its rows stay in place and new events wait.
 * @param initial the page that the server rendered, and its query in API form
 */
export function useEventStream(
  initial: { search: string; page: EventList },
  query: EventsQuery,
  isHeld: boolean,
) {
  const { client } = useLive();
  const [held, setHeld] = useState<Held>(() => ({ stream: beginEventStream(initial.page), frozen: null }));
  const search = eventsSearch(query);
  const answered = useRef({ search: initial.search, query });
  const { mutate, isIdle, isPending, error, variables, reset } = useMutation({ mutationFn: fetchEvents });

  useEffect(() => setHeld(({ stream }) => ({ stream, frozen: isHeld ? stream : null })), [isHeld]);

  useEffect(
    () =>
      client.watchEvents((frame) => {
        const { query: shown } = answered.current;
        // A range with a fixed end ignores the snapshot after a reconnect, but still applies revisions.
        if (shown.to !== null && frame.type === 'events_snapshot') return;
        setHeld((h) => {
          const stream = applyEventsFrame(h.stream, frame, matchEvent(shown));
          return stream === h.stream ? h : { ...h, stream };
        });
      }),
    [client],
  );

  const ask = useCallback(
    (older: OlderEvents) => {
      const take = (page: EventList, shown: EventStream) => {
        if (older === null) return joinEvents(beginEventStream(page), shown.events);
        return shown.older === older ? addOlderEvents(shown, page) : shown;
      };
      const onSuccess = (page: EventList) => {
        setHeld(({ stream, frozen }) => ({
          stream: take(page, stream),
          frozen: frozen && take(page, frozen),
        }));
        reset();
      };
      mutate({ search, older }, { onSuccess });
    },
    [mutate, reset, search],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `search` is `query` as text; an equal text needs no new read
  useEffect(() => {
    if (search === answered.current.search) return;
    answered.current = { search, query };
    reset();
    const matches = matchEvent(query);
    // Until the page of the new query arrives, show the loaded events that match.
    setHeld(({ stream, frozen }) => {
      const narrowed = { ...stream, events: stream.events.filter(matches), older: null };
      return { stream: narrowed, frozen: frozen && narrowed };
    });
    const timer = setTimeout(() => ask(null), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search, ask, reset]);

  const { stream, frozen } = held;
  const { events, older } = frozen ?? stream;
  return {
    events,
    hasOlder: older !== null,
    waiting: frozen === null ? 0 : stream.events.filter(isNewIn(frozen)).length,
    reading: isIdle ? null : variables?.older ? ('older' as const) : ('first' as const),
    isPending,
    failed: error === null ? null : error.message,
    loadOlder: useCallback(() => ask(older), [ask, older]),
    retry: () => ask(variables?.older ?? null),
    release: () => setHeld(({ stream, frozen }) => ({ stream, frozen: frozen && stream })),
  };
}

function isNewIn({ events }: EventStream) {
  const known = new Set(events.map(({ id }) => id));
  return ({ id }: { id: string }) => !known.has(id);
}

/** A page of the stream: the newest events, or those from `older` on. */
function fetchEvents({ search, older }: { search: string; older: OlderEvents }): Promise<EventList> {
  const params = new URLSearchParams(search);
  params.set('limit', PAGE);
  for (const [name, value] of Object.entries(older ?? {})) {
    const asked = params.get(name);
    // The filter and `older` may each set an end: use the earlier end.
    if (name !== 'to' || asked === null || value < asked) params.set(name, value);
  }
  return fetchJson<EventList>(`/api/v1/events?${params}`);
}

/** A page that is scrolled further than this is held, pixels. */
const READING_FROM_PX = 8;

/** Whether the stream is held: pointer or focus is in the stream, or the page is scrolled. */
export function useHolding() {
  const [pointer, setPointer] = useState(false);
  const [focus, setFocus] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => {
    const look = () => setScrolled(window.scrollY > READING_FROM_PX);
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  return {
    isHeld: pointer || focus || scrolled,
    /** Listeners for the rows and the filters, because the filter line has the button that shows new events. */
    pointerHandlers: { onPointerEnter: () => setPointer(true), onPointerLeave: () => setPointer(false) },
    focusHandlers: {
      onFocus: () => setFocus(true),
      onBlur: (event: FocusEvent<HTMLElement>) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocus(false);
      },
    },
  };
}
