'use client';
import { useQuery } from '@tanstack/react-query';
import type { EventDetails } from '@/core/api/responses';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { useLiveRefresh } from '../../data/use-live-refresh';
import type { PartState } from '../../ui/part-notice';
import { usePartState } from '../../ui/part-notice';
import { fetchEventDetails, LIVE_PART } from './session-queries';

export interface HeldDetails {
  /** Null: not read yet, or the event in the list is complete. */
  details: EventDetails | null;
  part: PartState;
}

/**
 * The full texts of an event, and the calls around a compaction.
 * @param initial what the page came with, of this event or of another one
 */
export function useEventDetails(
  event: SessionEvent | null,
  session: Session,
  initial: EventDetails | null = null,
): HeldDetails {
  const queryKey = ['events', event?.id, event?.revision];
  const query = useQuery({
    ...LIVE_PART,
    queryKey,
    queryFn: ({ signal }) => fetchEventDetails(event?.id ?? '', signal),
    enabled: event !== null && hasMore(event),
    initialData: initial !== null && initial.event.id === event?.id ? initial : undefined,
  });
  const details = query.data ?? null;
  useLiveRefresh(query, missingFrom(details, session));
  return { details, part: usePartState(query, queryKey) };
}

function hasMore(event: SessionEvent): boolean {
  return event.cut !== undefined || (event.kind === 'compaction' && event.detail.state === 'confirmed');
}

/** Changes while calls around the compaction are still missing. */
function missingFrom(details: EventDetails | null, { turnCount, totals }: Session): string | null {
  if (details === null || details.calls === null) return null;
  const { after, summary } = details.calls;
  if (after !== null && summary !== null) return null;
  return `${after === null ? turnCount : ''} ${totals.side.calls}`;
}
