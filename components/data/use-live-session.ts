'use client';
import { startTransition, useEffect, useState } from 'react';
import { applySessionFrame, type SessionView } from '@/core/live/apply-session-frame';
import { useLive } from './live-provider';

/** One live session. The calling component needs `key={id}`. `update` adds data that the page fetched over the API. */
export function useLiveSession(initial: SessionView): {
  view: SessionView;
  update: (change: (view: SessionView) => SessionView) => void;
} {
  const { client } = useLive();
  const [view, update] = useState(initial);
  const { id } = initial.session;
  useEffect(
    () =>
      client.watchSession(id, (frame) => {
        // Frames may arrive faster than a long chart is drawn: input comes first.
        startTransition(() => update((held) => applySessionFrame(held, frame)));
      }),
    [client, id],
  );
  return { view, update };
}
