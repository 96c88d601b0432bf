'use client';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { createPacedStore } from '@/core/live/paced-store';
import { useLive } from './live-provider';

/** Just below the server's own interval: what it sends in its pace shows at once, the parts of a large fleet together. */
const SHOW_EVERY_MS = 200;

/**
 * The fleet, live. `initial` is what the server rendered with (null: it had nothing); the feed's snapshot
 * replaces it. A session's object changes only when the session does, so rows can be memoised on it.
 */
export function useFleet(initial: FleetView | null): FleetView | null {
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
    ),
  );
  useEffect(() => {
    if (initial !== null) client.seedFleet(initial);
  }, [client, initial]);
  const view = useSyncExternalStore(paced.watch, paced.read, () => null);
  return view ?? initial;
}
