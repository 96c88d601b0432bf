'use client';
import type { Session } from '@/core/api/session';
import { useClock } from '../data/use-clock';
import { useTimeZone } from '../data/use-time-zone';
import { formatAge } from '../format/format-duration';
import { formatInstant, formatWhen } from '../format/format-time';
import { restingWords } from '../format/session-words';

interface AgoProps {
  at: string;
  className?: string;
  /** Writes the tooltip only on hover, because formatting one for each row of a long list is slow. */
  inRow?: boolean;
}

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

/** The age of a time, or its day after one day; the time on hover. */
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

/** `idle, no turn for 38 min` or `ended`, with the time of the last turn on hover. */
export function Resting({ session }: { session: Session }) {
  const words = useClock((now) => restingWords(session, now));
  const zone = useTimeZone();
  const { lastTurnAt } = session;
  return (
    <span
      {...(lastTurnAt === null ? {} : { title: `Last turn ${formatInstant(Date.parse(lastTurnAt), zone)}` })}
    >
      {words}
    </span>
  );
}
