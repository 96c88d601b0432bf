'use client';
import type { Session } from '@/core/api/session';
import { formatAge } from '../format/format-duration';
import { useClock } from '../live/use-clock';

/** When the limit was passed, where that is known: the last event is the one that reported it. */
export function passedAt({ lastEvent, nextBoundary }: Session): number | null {
  return nextBoundary?.passed && lastEvent?.kind === 'redlined' ? Date.parse(lastEvent.at) : null;
}

/** `, 6 m ago`, where that is known. */
export function PassedAgo({ session }: { session: Session }) {
  const at = passedAt(session);
  const text = useClock((now) => (at === null ? '' : `, ${formatAge(now - at)} ago`));
  return <>{text}</>;
}
