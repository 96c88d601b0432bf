'use client';
import { useSyncExternalStore } from 'react';
import type { FleetView } from '@/core/live/apply-fleet-frame';
import { useLive } from './live-provider';

/**
 * The fleet as the page has it, without asking for it: live where a panel looks at it (useFleet), an old picture on
 * other pages, null where nothing was held. Listeners are notified of connection states, not of every frame.
 */
export function useHeldFleet(): FleetView | null {
  const { client } = useLive();
  return useSyncExternalStore(client.onStatus, client.fleet, () => null);
}
