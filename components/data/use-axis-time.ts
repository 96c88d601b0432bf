'use client';
import { formatSince } from '../format/format-time';
import { useClock, useNow } from './use-clock';
import { useLiveStatus } from './use-live-status';
import { useTimeZone } from './use-time-zone';

function useLostAt(): number | null {
  const status = useLiveStatus();
  return status.status === 'reconnecting' || status.status === 'stale' ? status.since : null;
}

/**
 * The right end of time axes: the server's time in steps. While the connection is lost it stays at the last known
 * moment, so that a trace does not run on through minutes without data.
 */
export function useAxisNow(stepMs: number): number {
  const now = useNow(stepMs);
  const lostAt = useLostAt();
  return lostAt === null ? now : Math.min(now, lostAt);
}

/** When the connection was lost, `17:51` or `23 Jan 17:51`; null while it is live. */
export function useLostSince(): string | null {
  const zone = useTimeZone();
  const lostAt = useLostAt();
  return useClock((now) => (lostAt === null ? null : formatSince(lostAt, now, zone)));
}
