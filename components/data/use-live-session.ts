'use client';
import { useEffect, useState } from 'react';
import { applySessionFrame, type SessionView } from '@/core/live/apply-session-frame';
import { useLive } from './live-provider';

/**
 * One session, live. `initial` is what the server rendered with; give the component `key={id}`. `update` takes in what
 * the page fetches itself (`replaceSeries`, `replaceEvents`).
 */
export function useLiveSession(initial: SessionView): {
  view: SessionView;
  update: (change: (view: SessionView) => SessionView) => void;
} {
  const { client } = useLive();
  const [view, update] = useState(initial);
  const { id } = initial.session;
  useEffect(
    () => client.watchSession(id, (frame) => update((held) => applySessionFrame(held, frame))),
    [client, id],
  );
  return { view, update };
}
