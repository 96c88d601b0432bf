'use client';
import { startTransition, useEffect, useState } from 'react';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { createPacedStore } from '@/core/live/paced-store';
import { useLive } from './live-provider';

/** Slightly less than the server's send interval, so that the parts of a large fleet are shown together. */
const SHOW_EVERY_MS = 200;
/** Pause between two renderings, so that a slow machine can handle input. */
const REST_MS = 60;

/** The live fleet. A changed session is a new object. An update waits until the previous update is drawn. */
export function useFleet(initial: FleetView): FleetView {
  const { client } = useLive();
  const [paced] = useState(() =>
    createPacedStore(
      {
        read: client.fleet,
        watch: client.watchFleet,
        now: () => performance.now(),
        schedule: (task, delayMs) => {
          const timer = setTimeout(task, delayMs);
          return () => clearTimeout(timer);
        },
      },
      SHOW_EVERY_MS,
      REST_MS,
    ),
  );
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
