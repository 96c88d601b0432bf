import type { SessionEvent } from '../../core/events/event';
import { SNAPSHOT_EVENTS } from '../../core/live/protocol';
import { createFeed, type Feed, type FeedTiming } from './feed';

/**
 * The topic of events. Each read compares the newest events of all sessions with the previous read. Only the list API
 * returns older events.
 * @param loadNewest loads the newest valid events, newest first
 */
export function createEventsFeed(
  loadNewest: (count: number) => Promise<SessionEvent[]>,
  timing: FeedTiming,
): Feed {
  let held: SessionEvent[] = [];
  const snapshot = () => `"type":"events_snapshot","events":${JSON.stringify(held)}`;

  async function read(): Promise<string | null> {
    const before = held;
    held = await loadNewest(SNAPSHOT_EVENTS);
    const known = new Map(before.map((event) => [event.id, event]));
    const events = held.filter((event) => !isSame(known.get(event.id), event));
    if (events.length === SNAPSHOT_EVENTS) return snapshot();
    const current = new Set(held.map(({ id }) => id));
    // Events older than the window were not retracted, but only left the window.
    const oldest = held.length < SNAPSHOT_EVENTS ? '' : (held.at(-1)?.at ?? '');
    const retracted = before.filter(({ id, at }) => at > oldest && !current.has(id)).map(({ id }) => id);
    if (events.length === 0 && retracted.length === 0) return null;
    return `"type":"events_delta","events":${JSON.stringify(events)},"retracted":${JSON.stringify(retracted)}`;
  }

  return createFeed({ ...timing, read, snapshot });
}

/** An event contains the title and project of its session, which may change without a new revision. */
function isSame(known: SessionEvent | undefined, event: SessionEvent): boolean {
  return (
    known !== undefined &&
    known.revision === event.revision &&
    known.sessionTitle === event.sessionTitle &&
    known.project === event.project
  );
}
