'use client';
import { formatAge } from '../format/format-duration';
import { formatInstant } from '../format/format-time';
import { useClock } from '../live/use-clock';
import { useTimeZone } from '../live/use-time-zone';

/** How long ago, ticking; the instant in the viewer's zone on hover. */
export function Ago({ at, className = '' }: { at: string; className?: string }) {
  const time = Date.parse(at);
  const age = useClock((now) => formatAge(now - time));
  const zone = useTimeZone();
  return (
    <time dateTime={at} title={formatInstant(time, zone)} className={`num ${className}`}>
      {age}
    </time>
  );
}
