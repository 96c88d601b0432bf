/**
 * The topic of events: the newest ones of all sessions, read once for all browsers.
 *
 * It holds a window of the newest events by time. Hints name changed sessions, whose part of the window is
 * read in one query per tick and compared by id and revision with what was sent; a sweep compares the whole
 * window and finds what a lost hint missed. Earlier events are left to the list. It trades completeness for a
 * bound: a burst larger than one frame and a slow browser get a fresh snapshot.
 */
import type { SessionEvent } from '../../core/events/event';
import { SNAPSHOT_EVENTS } from '../../core/live/protocol';
import { createFeed, type Feed, type FeedTiming } from './feed';

interface EventsSource {
  /** The newest valid events, the newest first. */
  loadNewest(count: number): Promise<SessionEvent[]>;
  /** The same from a moment on, of some sessions or (null) of all. */
  loadWindow(window: {
    from: string | null;
    sessionIds: readonly string[] | null;
    limit: number;
  }): Promise<SessionEvent[]>;
}

export interface EventsFeedOptions extends FeedTiming {
  source: EventsSource;
  sweepMs: number;
  maxHeld?: number;
  maxDelta?: number;
}

export interface EventsFeed extends Pick<Feed, 'subscribe' | 'unsubscribe' | 'close'> {
  hint(changes: ReadonlyArray<{ publicId: string }>): void;
}

const MAX_HELD = 1_000;
const MAX_DELTA = 400;
/** Sessions that are read by name; for more the whole window is read. */
const MAX_SESSIONS_PER_TICK = 1_000;

export function createEventsFeed(options: EventsFeedOptions): EventsFeed {
  const { source, maxHeld = MAX_HELD, maxDelta = MAX_DELTA } = options;
  let hasReaders = false;
  /** The newest first; null before the first read, or without readers. */
  let held: SessionEvent[] | null = null;
  /** Begin of the window; null when it holds all events. */
  let from: string | null = null;
  const changed = new Set<string>();
  let sweepIsDue = false;
  const feed = createFeed({
    ...options,
    read: () => (held === null ? begin() : compare()),
    snapshot: snapshotBody,
  });
  const sweeper = setInterval(() => {
    sweepIsDue = true;
    feed.ask();
  }, options.sweepMs);
  sweeper.unref();

  async function begin(): Promise<string> {
    changed.clear();
    sweepIsDue = false;
    const newest = await source.loadNewest(SNAPSHOT_EVENTS);
    held = newest;
    from = newest.length < SNAPSHOT_EVENTS ? null : (newest.at(-1)?.at ?? null);
    return snapshotBody();
  }

  /** Read the window again, or the changed sessions' part of it; null when nothing differs. */
  async function compare(): Promise<string | null> {
    const isWhole = sweepIsDue || changed.size > MAX_SESSIONS_PER_TICK;
    const sessionIds = isWhole ? null : [...changed];
    if (sessionIds?.length === 0) return null;
    changed.clear();
    sweepIsDue = false;
    const base = held;
    let found: SessionEvent[];
    try {
      found = await source.loadWindow({ from, sessionIds, limit: maxHeld + maxDelta + 1 });
    } catch (error) {
      // The next sweep finds what these sessions changed.
      sweepIsDue = true;
      throw error;
    }
    if (held !== base) {
      // The last browser left meanwhile and another one came: begin again.
      feed.ask();
      return null;
    }
    if (found.length > maxHeld + maxDelta) return begin();
    return take(found, sessionIds === null ? null : new Set(sessionIds));
  }

  function take(found: readonly SessionEvent[], read: ReadonlySet<string> | null): string | null {
    const before = held ?? [];
    const known = new Map(before.map((event) => [event.id, event]));
    const events = found.filter((event) => !isSame(known.get(event.id), event));
    const standing = new Set(found.map(({ id }) => id));
    const isGone = (event: SessionEvent) =>
      (read === null || read.has(event.sessionId)) && !standing.has(event.id);
    const retracted = before.filter(isGone).map(({ id }) => id);
    if (events.length === 0 && retracted.length === 0) return null;
    if (events.length > maxDelta) {
      held = null;
      feed.ask();
      return null;
    }
    const replaced = new Set([...retracted, ...events.map(({ id }) => id)]);
    held = mergeByTime(
      events,
      before.filter(({ id }) => !replaced.has(id)),
    );
    if (held.length > maxHeld) {
      held = held.slice(0, Math.ceil(maxHeld / 2));
      from = held.at(-1)?.at ?? null;
    }
    return `"type":"events_delta","events":${JSON.stringify(events)},"retracted":${JSON.stringify(retracted)}`;
  }

  function snapshotBody(): string {
    return `"type":"events_snapshot","events":${JSON.stringify((held ?? []).slice(0, SNAPSHOT_EVENTS))}`;
  }

  return {
    subscribe(sender) {
      // A read that started before the last reader left is out of date.
      if (!hasReaders) held = null;
      feed.subscribe(sender);
      hasReaders = true;
    },
    unsubscribe(sender) {
      const hasOthers = feed.unsubscribe(sender);
      if (hasOthers) return true;
      // Without readers the window would cost a query per tick.
      hasReaders = false;
      held = null;
      changed.clear();
      return false;
    },
    hint(changes) {
      if (!hasReaders) return;
      for (const { publicId } of changes) changed.add(publicId);
      feed.ask();
    },
    close() {
      clearInterval(sweeper);
      feed.close();
      held = null;
    },
  };
}

/** Events carry their session's title and project, which may change without a revision. */
function isSame(known: SessionEvent | undefined, event: SessionEvent): boolean {
  return (
    known !== undefined &&
    known.revision === event.revision &&
    known.sessionTitle === event.sessionTitle &&
    known.project === event.project
  );
}

/** Merge two lists with the newest first; at equal times entries of the first list are first. */
function mergeByTime(first: readonly SessionEvent[], second: readonly SessionEvent[]): SessionEvent[] {
  return [...first, ...second].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
