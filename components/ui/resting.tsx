'use client';
import type { Session } from '@/core/api/session';
import { useClock } from '../data/use-clock';
import { useTimeZone } from '../data/use-time-zone';
import { formatInstant } from '../format/format-time';
import { restingWords } from '../format/session-words';

/** `idle, no turn for 38 m` or `ended`, with the time of the last turn on hover. */
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
