/** The opened event, its archive and its number. */
import type { EventDetail } from '@/core/events/details';
import type { SessionEvent } from '@/core/events/event';
import { type Boundary, type BoundaryEvent, isBoundaryEvent } from '../../charts/list-marks';
import { isWithin } from './session-events';
import type { SessionUrl } from './session-url';

/** The event of the link, else the last boundary of the visible range, else of the session. */
export function openedEvent(
  events: readonly SessionEvent[],
  id: string | null,
  range: Pick<SessionUrl, 'from' | 'to'>,
): SessionEvent | null {
  const named = id === null ? undefined : events.find((event) => event.id === id);
  const visible = (event: SessionEvent) => isBoundaryEvent(event) && isWithin(Date.parse(event.at), range);
  return named ?? events.findLast(visible) ?? events.findLast(isBoundaryEvent) ?? events.at(-1) ?? null;
}

/** The boundary of the cost figures: the newest compaction, else the newest boundary; null: none. */
export function lastCostly(events: readonly SessionEvent[]): BoundaryEvent | null {
  const boundaries = events.filter(isBoundaryEvent);
  return boundaries.findLast(({ kind }) => kind === 'compaction') ?? boundaries.at(-1) ?? null;
}

type ArchiveKind = Extract<SessionEvent['kind'], `archive_${string}`>;
export type ArchiveEvent = SessionEvent<ArchiveKind>;

export function isArchiveEvent(event: SessionEvent): event is ArchiveEvent {
  return event.kind.startsWith('archive_');
}

export interface Archive {
  state: ArchiveKind extends `archive_${infer State}` ? State : never;
  detail: Omit<EventDetail<'archive_stored'>, 'trigger'>;
}

export function archiveIn({ kind, detail }: ArchiveEvent): Archive {
  return { state: kind.slice('archive_'.length) as Archive['state'], detail };
}

/** The archive of a compaction; null: none was made. */
export function archiveOf({ detail: { archive } }: SessionEvent<'compaction'>): Archive | null {
  if (archive === undefined) return null;
  const { state, ...detail } = archive;
  return { state, detail };
}

/** The compaction of the main chain that an archive was made for; null: none is loaded. */
export function compactionOf(events: readonly SessionEvent[], archive: ArchiveEvent) {
  const id = archive.detail.archive;
  for (const event of events) {
    if (event.kind !== 'compaction' || event.chain !== 'main') continue;
    const { archive: own, archives = [] } = event.detail;
    const isNamed = id !== undefined && (own?.archive === id || archives.includes(id));
    // An older client names no archive: match the compaction after the same turn.
    if (isNamed || (id === undefined && own !== undefined && event.turn === archive.turn)) return event;
  }
  return null;
}

/** The number of a restart or of a compaction of the main chain, counted from 1; null for other events. */
export function ordinalOf(boundaries: readonly Boundary[], opened: SessionEvent): number | null {
  if (opened.kind === 'restart') return opened.detail.continuation;
  const compactions = boundaries.filter(({ kind }) => kind === 'compaction');
  return compactions.findIndex(({ eventId }) => eventId === opened.id) + 1 || null;
}
