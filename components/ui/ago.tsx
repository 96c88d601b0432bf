'use client';
import { useClock } from '../data/use-clock';
import { useTimeZone } from '../data/use-time-zone';
import { formatAge } from '../format/format-duration';
import { formatInstant, formatWhen } from '../format/format-time';

interface AgoProps {
  at: string;
  className?: string;
  /** In a long list the tooltip is written on hover: formatting a time costs more than its cell. */
  inRow?: boolean;
}

/** How long ago, ticking; the instant in the viewer's zone on hover. */
export function Ago({ at, className = '', inRow = false }: AgoProps) {
  const time = Date.parse(at);
  const age = useClock((now) => formatAge(now - time));
  const zone = useTimeZone();
  return (
    <time
      dateTime={at}
      className={`num ${className}`}
      title={inRow ? undefined : formatInstant(time, zone)}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = formatInstant(time, zone);
      }}
    >
      {age}
    </time>
  );
}

/** How long ago, ticking; the day of what is older than a day. The instant in the viewer's zone on hover. */
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
