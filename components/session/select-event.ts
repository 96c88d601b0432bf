/** Which event is opened, and what belongs to it. */
import type { SessionEvent } from '@/core/api/session';
import { isBoundaryEvent } from '../charts/list-boundaries';

/** The event of the address; without one the last boundary, for that is what one comes to look at. */
export function openedEvent(events: readonly SessionEvent[], id: string | null): SessionEvent | null {
  const named = id === null ? undefined : events.find((event) => event.id === id);
  return named ?? events.findLast(isBoundaryEvent) ?? events.at(-1) ?? null;
}

/** An archive is copied when a compaction begins; its notice may arrive on another way, a little before or after. */
const ARCHIVE_REACH_MS = 5 * 60_000;

/** The archive of a compaction: the nearest in time; null when none is near. */
export function archiveOf(events: readonly SessionEvent[], opened: SessionEvent): SessionEvent | null {
  if (opened.kind !== 'compaction') return null;
  const at = Date.parse(opened.at);
  let nearest: { event: SessionEvent; distance: number } | null = null;
  for (const event of events) {
    if (!event.kind.startsWith('archive_')) continue;
    const distance = Math.abs(Date.parse(event.at) - at);
    if (distance > ARCHIVE_REACH_MS || (nearest && nearest.distance <= distance)) continue;
    nearest = { event, distance };
  }
  return nearest?.event ?? null;
}

/**
 * Which compaction or restart of its chain this is, counted from 1; null for other events.
 * @param complete whether all events are loaded: compactions cannot be counted from a part
 */
export function ordinalOf(
  events: readonly SessionEvent[],
  opened: SessionEvent,
  complete: boolean,
): number | null {
  if (opened.kind === 'restart') {
    const { continuation } = opened.detail;
    return typeof continuation === 'number' ? continuation : null;
  }
  if (opened.kind !== 'compaction' || !complete) return null;
  const same = events.filter(
    (event) =>
      event.kind === 'compaction' &&
      event.chain === opened.chain &&
      (event.detail.state ?? 'confirmed') === 'confirmed',
  );
  const index = same.indexOf(opened);
  return index === -1 ? null : index + 1;
}
