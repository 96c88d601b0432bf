'use client';
/** What a list does not tell of an event: its texts in full, and the calls around a compaction. */
import { useState } from 'react';
import type { EventDetails } from '@/core/api/responses';
import type { Session, SessionEvent } from '@/core/api/session';
import { fetchEventDetails } from './fetch-session-part';
import { type PartState, useRefreshed } from './use-refreshed';

export interface HeldDetails {
  /** Null: not read yet, or there is no more to know than the event itself says. */
  details: EventDetails | null;
  /** They could not be read; it is tried again by itself. */
  failed: boolean;
  part: PartState;
}

/** @param initial what the page came with, of this event or of another one */
export function useEventDetails(
  event: SessionEvent | null,
  session: Session,
  initial: EventDetails | null = null,
): HeldDetails {
  const [held, setHeld] = useState<{ key: string | null; details: EventDetails | null }>(() => ({
    key: event !== null && initial?.event.id === event.id ? keyOf(event, session, initial) : null,
    details: initial,
  }));
  const own = held.details !== null && held.details.event.id === event?.id ? held.details : null;
  const key = event === null || !hasMore(event) ? null : keyOf(event, session, own);
  const read = useRefreshed(
    key === null || key === held.key ? null : key,
    (signal) => fetchEventDetails(event?.id ?? '', signal),
    (details, wanted) => {
      const isNewest = wanted === key && event !== null;
      setHeld({ key: isNewest ? keyOf(event, session, details) : wanted, details });
      return true;
    },
  );
  return { details: own, failed: read.failed, part: read };
}

function hasMore(event: SessionEvent): boolean {
  return event.cut !== undefined || (event.kind === 'compaction' && isDone(event));
}

function isDone({ detail }: SessionEvent): boolean {
  return (detail.state ?? 'confirmed') === 'confirmed';
}

/** The next turn, and a late word of the summary's own call, are looked for until they are there. */
function keyOf({ id, revision }: SessionEvent, session: Session, details: EventDetails | null): string {
  const { after = null, summary = null } = details?.calls ?? {};
  const isWhole = details !== null && (details.calls === null || (after !== null && summary !== null));
  const waitsFor = isWhole ? '' : `${after === null ? session.turnCount : ''} ${session.totals.side.calls}`;
  return `${id} ${revision} ${waitsFor}`;
}
