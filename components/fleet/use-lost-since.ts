'use client';
import { formatSince } from '../format/format-time';
import { useClock } from '../live/use-clock';
import { useLiveStatus } from '../live/use-live-status';
import { useTimeZone } from '../live/use-time-zone';

/** When the picture stood still, `17:51` or `23 Jan 17:51`; null while it is live. */
export function useLostSince(): string | null {
  const status = useLiveStatus();
  const zone = useTimeZone();
  const since = status.status === 'reconnecting' || status.status === 'stale' ? status.since : null;
  return useClock((now) => (since === null ? null : formatSince(since, now, zone)));
}
