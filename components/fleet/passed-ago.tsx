import type { Session } from '@/core/api/session';
import { Ago } from '../ui/ago';

/** `, 6 m ago`, where it is known when the limit was passed: the last event is the one that reported it. */
export function PassedAgo({ session: { lastEvent, nextBoundary } }: { session: Session }) {
  if (!nextBoundary?.passed || lastEvent?.kind !== 'redlined') return null;
  return (
    <>
      , <Ago at={lastEvent.at} className="of-text" inRow /> ago
    </>
  );
}
