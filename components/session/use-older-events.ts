'use client';
/**
 * Older events, a page at a time, when somebody asks for them. It owns the cursor and what was read; a read that
 * fails says so and waits to be asked again, because it was asked for by hand.
 */
import { useEffect, useRef, useState } from 'react';
import type { SessionEvent } from '@/core/api/session';
import { fetchEvents } from './fetch-session-part';

export interface OlderEvents {
  /** There are events before those held. */
  more: boolean;
  load: () => void;
  loading: boolean;
  /** The last attempt failed; `load` tries again. */
  failed: boolean;
}

/** @param first where the page's own events end; null: they are all */
export function useOlderEvents(
  id: string,
  first: string | null,
): OlderEvents & { events: readonly SessionEvent[] } {
  const [held, setHeld] = useState<{ events: readonly SessionEvent[]; cursor: string | null }>({
    events: [],
    cursor: first,
  });
  const [state, setState] = useState<'resting' | 'loading' | 'failed'>('resting');
  const reading = useRef<AbortController | null>(null);
  useEffect(() => () => reading.current?.abort(), []);

  const load = () => {
    const { cursor } = held;
    if (cursor === null || state === 'loading') return;
    const abort = new AbortController();
    reading.current = abort;
    setState('loading');
    fetchEvents(id, cursor, abort.signal).then(
      ({ events, nextCursor }) => {
        setHeld((now) => ({ events: [...events.toReversed(), ...now.events], cursor: nextCursor }));
        setState('resting');
      },
      () => {
        if (!abort.signal.aborted) setState('failed');
      },
    );
  };

  return {
    events: held.events,
    more: held.cursor !== null,
    load,
    loading: state === 'loading',
    failed: state === 'failed',
  };
}
