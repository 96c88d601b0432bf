/** Times of the axis in the viewer's zone. */
import { formatClock, formatClockSeconds, formatDay } from '@/components/format/format-time';
import { zoneOffsetMs } from '@/core/time/zone-offset';
import type { ZoneFormat } from './prepare-axes';

export function zoneFormat(zone: string): ZoneFormat {
  return {
    offsetMs: (at) => zoneOffsetMs(at, zone),
    clock: (at) => formatClock(at, zone),
    clockSeconds: (at) => formatClockSeconds(at, zone),
    day: (at) => formatDay(at, zone),
  };
}
