'use client';
import type { Session } from '@/core/api/session';
import { restingWords } from '../format/silence';
import { useClock } from '../live/use-clock';

/** `idle, no turn for 38 m`, as time passes; `ended`. */
export function Resting({ session }: { session: Session }) {
  return <>{useClock((now) => restingWords(session, now))}</>;
}
