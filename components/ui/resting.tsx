'use client';
import type { Session } from '@/core/api/session';
import { formatInstant } from '../format/format-time';
import { restingWords } from '../format/silence';
import { useClock } from '../live/use-clock';
import { useTimeZone } from '../live/use-time-zone';

/** `idle, no turn for 38 m`, as time passes, or `ended`; the instant of its last turn on hover. */
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
