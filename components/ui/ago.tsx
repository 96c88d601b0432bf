'use client';
import type { PointerEvent } from 'react';
import { useClock } from '../data/use-clock';
import { useTimeZone } from '../data/use-time-zone';
import { formatAge } from '../format/format-duration';
import { formatInstant } from '../format/format-time';

interface AgoProps {
  at: string;
  className?: string;
  /** In a long list: the instant is written once the pointer comes, for to write a time costs more than its cell. */
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
      {...(inRow
        ? {
            onPointerEnter: ({ currentTarget }: PointerEvent<HTMLTimeElement>) => {
              currentTarget.title = formatInstant(time, zone);
            },
          }
        : { title: formatInstant(time, zone) })}
    >
      {age}
    </time>
  );
}
