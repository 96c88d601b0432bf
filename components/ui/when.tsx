'use client';
import { useClock } from '../data/use-clock';
import { useTimeZone } from '../data/use-time-zone';
import { formatInstant } from '../format/format-time';
import { formatWhen } from '../format/format-when';

/** How long ago, ticking; of what is older than a day the day. The instant in the viewer's zone on hover. */
export function When({ at, className = '' }: { at: string; className?: string }) {
  const time = Date.parse(at);
  const zone = useTimeZone();
  const words = useClock((now) => formatWhen(time, zone, now));
  return (
    <time dateTime={at} title={formatInstant(time, zone)} className={`num ${className}`}>
      {words}
    </time>
  );
}
