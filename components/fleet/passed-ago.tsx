'use client';
import type { Session } from '@/core/api/session';
import { formatAge } from '../format/format-duration';
import { useClock } from '../live/use-clock';

/** `, 6 m ago`, where the moment of passing is known: the last event is the one that reported it. */
export function PassedAgo({ session }: { session: Session }) {
  const { lastEvent } = session;
  const at = lastEvent?.kind === 'redlined' ? Date.parse(lastEvent.at) : null;
  const text = useClock((now) => (at === null ? '' : `, ${formatAge(now - at)} ago`));
  return <>{text}</>;
}
