'use client';
import { useNow } from '../live/use-clock';
import { useLiveStatus } from '../live/use-live-status';

/**
 * The right end of time axes: the server's time in steps. While the connection is lost it stands still at
 * the last moment that is known; a trace must not run on through minutes that nobody saw.
 */
export function useAxisNow(stepMs: number): number {
  const now = useNow(stepMs);
  const status = useLiveStatus();
  return status.status === 'reconnecting' || status.status === 'stale' ? Math.min(now, status.since) : now;
}
