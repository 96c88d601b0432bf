/** Which event is opened, and what belongs to it. */
import type { EventDetail } from '@/core/events/details';
import type { SessionEvent } from '@/core/events/event';
import { type BoundaryEvent, isBoundaryEvent } from '../../charts/list-marks';

export function openedEvent(events: readonly SessionEvent[], id: string | null): SessionEvent | null {
  const named = id === null ? undefined : events.find((event) => event.id === id);
  return named ?? events.findLast(isBoundaryEvent) ?? events.at(-1) ?? null;
}

/** The boundary whose cost the head shows: the newest compaction, or else the newest boundary; null: none. */
export function lastCostly(events: readonly SessionEvent[]): BoundaryEvent | null {
  const boundaries = events.filter(isBoundaryEvent);
  return boundaries.findLast(({ kind }) => kind === 'compaction') ?? boundaries.at(-1) ?? null;
}

type ArchiveKind = Extract<SessionEvent['kind'], `archive_${string}`>;
export type ArchiveEvent = SessionEvent<ArchiveKind>;

export function isArchiveEvent(event: SessionEvent): event is ArchiveEvent {
  return event.kind.startsWith('archive_');
}

/** The outcome of an archive, from its own event or from its compaction. */
export interface Archive {
  state: ArchiveKind extends `archive_${infer State}` ? State : never;
  detail: Omit<EventDetail<'archive_stored'>, 'trigger'>;
}

export function archiveIn({ kind, detail }: ArchiveEvent): Archive {
  return { state: kind.slice('archive_'.length) as Archive['state'], detail };
}

/** An archive is copied when a compaction starts; its notice may arrive a little before or after. */
const ARCHIVE_REACH_MS = 5 * 60_000;

/** The archive that a compaction names, or else a notice that belongs to no other compaction; null: none. */
export function archiveOf(events: readonly SessionEvent[], opened: SessionEvent): Archive | null {
  if (opened.kind !== 'compaction') return null;
  if (opened.detail.archive) {
    const { state, ...detail } = opened.detail.archive;
    return { state, detail };
  }
  // Damage and repair are reported later, by the server.
  const notices = events.filter(
    (event): event is ArchiveEvent =>
      isArchiveEvent(event) &&
      event.kind !== 'archive_damaged' &&
      event.kind !== 'archive_healed' &&
      compactionOf(events, event)?.id === opened.id,
  );
  const notice = notices.findLast((event) => event.kind === 'archive_stored') ?? notices.at(-1);
  return notice === undefined ? null : archiveIn(notice);
}

/**
 * The compaction of the main chain that an archive was made for: of the same trigger, with no turn between, or else
 * the nearest in time; null when none is near.
 */
export function compactionOf(
  events: readonly SessionEvent[],
  archive: ArchiveEvent,
): SessionEvent<'compaction'> | null {
  const at = Date.parse(archive.at);
  const { trigger } = archive.detail;
  const near = events.flatMap((event) => {
    if (event.kind !== 'compaction' || event.chain !== 'main') return [];
    if (trigger !== undefined && event.detail.trigger !== trigger) return [];
    const isSameTurn = event.turn === archive.turn && event.detail.archive !== undefined;
    const distance = isSameTurn ? -1 : Math.abs(Date.parse(event.at) - at);
    return distance > ARCHIVE_REACH_MS ? [] : [{ event, distance }];
  });
  return near.sort((a, b) => a.distance - b.distance)[0]?.event ?? null;
}

/**
 * The number of a compaction or restart in its chain, counted from 1; null for other events.
 * @param complete whether all events are loaded: compactions cannot be counted from a part
 */
export function ordinalOf(
  events: readonly SessionEvent[],
  opened: SessionEvent,
  complete: boolean,
): number | null {
  if (opened.kind === 'restart') return opened.detail.continuation;
  if (opened.kind !== 'compaction' || opened.detail.state !== 'confirmed' || !complete) return null;
  const same = events.filter(
    (event) =>
      event.kind === 'compaction' && event.chain === opened.chain && event.detail.state === 'confirmed',
  );
  return same.indexOf(opened) + 1 || null;
}
