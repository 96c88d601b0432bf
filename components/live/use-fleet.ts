'use client';
import { useEffect, useSyncExternalStore } from 'react';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { useLive } from './live-provider';

/**
 * The fleet, live. `initial` is what the server rendered with (null: it had nothing); the feed's snapshot
 * replaces it. A session's object changes only when the session does, so rows can be memoised on it.
 */
export function useFleet(initial: FleetView | null): FleetView | null {
  const { client } = useLive();
  useEffect(() => {
    if (initial !== null) client.seedFleet(initial);
  }, [client, initial]);
  const view = useSyncExternalStore(client.watchFleet, client.fleet, () => null);
  return view ?? initial;
}
