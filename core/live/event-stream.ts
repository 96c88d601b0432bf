/** The events of all sessions on a page: the newest events, which the feed updates, and loaded older pages. */
import type { EventList } from '../api/responses';
import type { SessionEvent } from '../events/event';
import { type LiveFrame, SNAPSHOT_EVENTS } from './protocol';

export type EventsFrame = Extract<LiveFrame, { type: 'events_snapshot' | 'events_delta' }>;

/** Start of the next older page: after a cursor, or at a moment (inclusive). Null: there is no older page. */
export type OlderEvents = { cursor: string } | { to: string } | null;

export interface EventStream {
  /** The newest first. If times are equal, the later arrival first. Each id occurs once. */
  events: readonly SessionEvent[];
  older: OlderEvents;
  /** Maximum number of events. The newest are kept. Loading an older page raises the maximum. */
  bound: number;
}

/** Events kept without older pages. */
const KEPT_EVENTS = 2_000;
/** Maximum number of events with older pages. A time filter reaches further back. */
export const MOST_EVENTS = 20_000;

export function beginEventStream(page: EventList): EventStream {
  return { events: page.events, older: olderOf(page), bound: KEPT_EVENTS };
}

/** @param matches the page's filter, because the feed sends all events */
export function applyEventsFrame(
  stream: EventStream,
  frame: EventsFrame,
  matches: (event: SessionEvent) => boolean,
): EventStream {
  const wanted = frame.events.filter(matches);
  if (frame.type === 'events_delta') {
    // A revised event that no longer matches is removed.
    const unmatched = frame.events.filter((event) => !matches(event)).map(({ id }) => id);
    return merge(stream, wanted, new Set([...frame.retracted, ...unmatched]));
  }
  const oldest = frame.events.at(-1)?.at;
  if (frame.events.length < SNAPSHOT_EVENTS || oldest === undefined) {
    return { ...stream, events: wanted, older: null };
  }
  const newest = stream.events[0];
  if (newest !== undefined && newest.at >= oldest) {
    // An event that is missing in the snapshot was retracted during the disconnection.
    const shown = new Set(frame.events.map(({ id }) => id));
    const gone = new Set(
      stream.events.filter(({ id, at }) => at > oldest && !shown.has(id)).map(({ id }) => id),
    );
    return merge(stream, wanted, gone);
  }
  // The page reads the events between the known ones and the snapshot as older events.
  return { events: wanted, older: { to: oldest }, bound: KEPT_EVENTS };
}

export function addOlderEvents(stream: EventStream, page: EventList): EventStream {
  const known = new Set(stream.events.map(({ id }) => id));
  const added = page.events.filter(({ id }) => !known.has(id));
  const events = byTime([...stream.events, ...added]);
  return {
    events,
    older: events.length >= MOST_EVENTS ? null : olderOf(page),
    bound: Math.max(stream.bound, events.length + KEPT_EVENTS),
  };
}

/** Join the first page of a new filter with the events received since the request. */
export function joinEvents(page: EventStream, since: readonly SessionEvent[]): EventStream {
  const oldest = page.older === null ? '' : (page.events.at(-1)?.at ?? '');
  return merge(
    page,
    since.filter(({ at }) => at >= oldest),
    new Set(),
  );
}

function merge(stream: EventStream, news: readonly SessionEvent[], gone: ReadonlySet<string>): EventStream {
  const held = new Map(stream.events.map((event) => [event.id, event]));
  const fresh: SessionEvent[] = [];
  let isChanged = false;
  for (const id of gone) isChanged = held.delete(id) || isChanged;
  for (const event of news) {
    const known = held.get(event.id);
    if (known === undefined) fresh.push(event);
    else if (known.revision > event.revision) continue;
    else if (sameEvent(known, event)) continue;
    else held.set(event.id, event);
    isChanged = true;
  }
  if (!isChanged) return stream;
  const events = byTime([...fresh, ...held.values()]);
  if (events.length <= stream.bound) return { ...stream, events };
  const kept = events.slice(0, stream.bound);
  const last = kept.at(-1);
  return { ...stream, events: kept, older: last === undefined ? stream.older : { to: last.at } };
}

/** Times have one format, so text comparison is enough. The sort is stable: events of equal time keep their order. */
function byTime(events: SessionEvent[]): SessionEvent[] {
  return events.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

function sameEvent(a: SessionEvent, b: SessionEvent): boolean {
  return (
    a.revision === b.revision && a.at === b.at && a.sessionTitle === b.sessionTitle && a.project === b.project
  );
}

function olderOf({ nextCursor }: EventList): OlderEvents {
  return nextCursor === null ? null : { cursor: nextCursor };
}
