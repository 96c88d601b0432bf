/** Which event is opened, and what belongs to it. */
import type { SessionEvent } from '@/core/api/session';
import { isBoundaryEvent } from '../charts/list-boundaries';

/** The event of the address; without one the last boundary, for that is what one comes to look at. */
export function openedEvent(events: readonly SessionEvent[], id: string | null): SessionEvent | null {
  const named = id === null ? undefined : events.find((event) => event.id === id);
  return named ?? events.findLast(isBoundaryEvent) ?? events.at(-1) ?? null;
}

/** What the head tells the cost of: the newest compaction, or else the newest boundary; null: there was none. */
export function lastCostly(events: readonly SessionEvent[]): SessionEvent | null {
  const boundaries = events.filter(isBoundaryEvent);
  return boundaries.findLast(({ kind }) => kind === 'compaction') ?? boundaries.at(-1) ?? null;
}

/** What became of a transcript: by its own event, or as its compaction tells it. */
export interface Archive {
  state: 'stored' | 'skipped' | 'failed' | 'delayed' | 'damaged' | 'healed';
  /** reason, path, bytes, lines, sha256. */
  detail: Record<string, unknown>;
}

const ARCHIVE_KINDS: Readonly<Record<string, Archive['state']>> = {
  archive_stored: 'stored',
  archive_skipped: 'skipped',
  archive_failed: 'failed',
};

/** What the store tells of an archive, long after its compaction or while it still waits to come in. */
const STORE_KINDS: Readonly<Record<string, Archive['state']>> = {
  archive_delayed: 'delayed',
  archive_damaged: 'damaged',
  archive_healed: 'healed',
};

/** What an event of an archive says of it. */
export function archiveIn({ kind, detail }: SessionEvent): Archive {
  return { state: ARCHIVE_KINDS[kind] ?? STORE_KINDS[kind] ?? 'failed', detail };
}

/** An archive is copied when a compaction begins; its notice may arrive on another way, a little before or after. */
const ARCHIVE_REACH_MS = 5 * 60_000;

/**
 * The archive of a compaction: the one its own event names, or else a notice that belongs to no other compaction;
 * null when there is none.
 */
export function archiveOf(events: readonly SessionEvent[], opened: SessionEvent): Archive | null {
  if (opened.kind !== 'compaction') return null;
  const named = readArchive(opened.detail.archive);
  if (named) return named;
  const notices = events.filter(
    (event) => ARCHIVE_KINDS[event.kind] !== undefined && compactionOf(events, event)?.id === opened.id,
  );
  const notice = notices.findLast((event) => event.kind === 'archive_stored') ?? notices.at(-1);
  return notice === undefined ? null : archiveIn(notice);
}

function readArchive(value: unknown): Archive | null {
  if (typeof value !== 'object' || value === null) return null;
  const { state, ...detail } = value as Record<string, unknown>;
  return state === 'stored' || state === 'skipped' || state === 'failed' ? { state, detail } : null;
}

/**
 * The compaction of the main chain that an archive was made for: of the same trigger, with no turn between, or else
 * the nearest in time; null when none is near.
 */
export function compactionOf(events: readonly SessionEvent[], archive: SessionEvent): SessionEvent | null {
  const at = Date.parse(archive.at);
  let nearest: { event: SessionEvent; distance: number } | null = null;
  for (const event of events) {
    if (event.kind !== 'compaction' || event.chain !== 'main' || !haveSameTrigger(event, archive)) continue;
    const isPlain = event.turn === archive.turn && readArchive(event.detail.archive) !== null;
    const distance = isPlain ? -1 : Math.abs(Date.parse(event.at) - at);
    if (distance > ARCHIVE_REACH_MS || (nearest && nearest.distance <= distance)) continue;
    nearest = { event, distance };
  }
  return nearest?.event ?? null;
}

function haveSameTrigger(a: SessionEvent, b: SessionEvent): boolean {
  const [one, other] = [a.detail.trigger, b.detail.trigger];
  return one === undefined || other === undefined || one === other;
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
