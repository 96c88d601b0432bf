'use client';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { EventList } from '@/core/api/responses';
import { useLive } from '../../data/live-provider';
import { type EventsQuery, eventsSearch, matchEvent } from './events-query';
import { fetchEvents } from './fetch-events';
import { beginHeld, type HeldStream, narrow, release, takeFrame, takeOlder, takePage } from './hold-stream';

/** What is being read, or could not be: the first page of a question, or older events. */
export type Reading = { what: 'first' | 'older'; failed: string | null } | null;

/** Typing asks once it rests. */
const TYPING_MS = 200;

export interface EventStreamState {
  held: HeldStream;
  reading: Reading;
  loadOlder: () => void;
  retry: () => void;
  release: () => void;
}

/**
 * The stream of a question, live.
 * @param initial the page that the server rendered with, and its question as the API takes it
 * @param isHeld whether new events are held back
 */
export function useEventStream(
  initial: { search: string; page: EventList },
  query: EventsQuery,
  isHeld: boolean,
): EventStreamState {
  const { client } = useLive();
  const [held, setHeld] = useState(() => beginHeld(initial.page));
  const [reading, setReading] = useState<Reading>(null);
  const search = eventsSearch(query);
  /** The query of the first page shown. */
  const answered = useRef(initial.search);
  const matches = useRef(matchEvent(query));
  const holds = useRef(isHeld);
  /** Whether the stretch that is shown has an end. */
  const isOver = useRef(query.to !== null);
  const under = useRef<AbortController | null>(null);

  useEffect(() => {
    holds.current = isHeld;
    if (!isHeld) setHeld(release);
  }, [isHeld]);

  useEffect(
    () =>
      client.watchEvents((frame) => {
        // A closed range does not reload after a reconnect; its revisions still arrive.
        if (isOver.current && frame.type === 'events_snapshot') return;
        setHeld((h) => takeFrame(h, frame, matches.current, holds.current));
      }),
    [client],
  );

  const ask = useCallback(
    async (what: 'first' | 'older', question: string, older: HeldStream['stream']['older']) => {
      under.current?.abort();
      const control = new AbortController();
      under.current = control;
      setReading({ what, failed: null });
      try {
        const page = await fetchEvents(question, older, control.signal);
        if (control.signal.aborted) return;
        setHeld((h) => (what === 'first' ? takePage(h, page) : takeOlder(h, page)));
        setReading(null);
      } catch (error) {
        if (control.signal.aborted) return;
        setReading({ what, failed: error instanceof Error ? error.message : String(error) });
      }
    },
    [],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: `search` is the query as text: the same question is no change
  useEffect(() => {
    if (search === answered.current) return;
    answered.current = search;
    matches.current = matchEvent(query);
    isOver.current = query.to !== null;
    under.current?.abort();
    setHeld((h) => narrow(h, matches.current));
    setReading({ what: 'first', failed: null });
    const timer = setTimeout(() => void ask('first', search, null), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search, ask]);
  useEffect(() => () => under.current?.abort(), []);

  const { older } = held.stream;
  return {
    held,
    reading,
    loadOlder: useCallback(() => {
      if (older !== null) void ask('older', search, older);
    }, [ask, search, older]),
    retry: () => {
      if (reading?.what === 'first') void ask('first', search, null);
      else if (older !== null) void ask('older', search, older);
    },
    release: useCallback(() => setHeld(release), []),
  };
}
