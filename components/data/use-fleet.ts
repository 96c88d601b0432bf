'use client';
import { startTransition, useEffect, useState } from 'react';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { createPacedStore } from '@/core/live/paced-store';
import { useLive } from './live-provider';

/** Just below the server's own interval: the parts of a large fleet are shown together. The rest is time for input. */
const PACE = { intervalMs: 200, restMs: 60 };

/** The live fleet. A session's object changes only with the session. A view waits until the last one was drawn. */
export function useFleet(initial: FleetView): FleetView {
  const { client } = useLive();
  const [paced] = useState(() => createPacedStore(client.fleet, client.watchFleet, PACE));
  const [view, setView] = useState(paced.read);
  useEffect(() => {
    client.seedFleet(initial);
  }, [client, initial]);
  useEffect(() => paced.watch(() => startTransition(() => setView(paced.read()))), [paced]);
  useEffect(() => {
    if (view === paced.read()) paced.drawn();
  }, [paced, view]);
  return view ?? initial;
}
