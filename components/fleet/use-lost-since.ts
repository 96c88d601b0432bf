'use client';
import { formatClock } from '../format/format-time';
import { useLiveStatus } from '../live/use-live-status';
import { useTimeZone } from '../live/use-time-zone';

/** The clock time at which the picture stood still, `17:51`; null while it is live. */
export function useLostSince(): string | null {
  const status = useLiveStatus();
  const zone = useTimeZone();
  return status.status === 'reconnecting' || status.status === 'stale'
    ? formatClock(status.since, zone)
    : null;
}
