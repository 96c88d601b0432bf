/**
 * The topic of one session: reads its newest turns and events after a change, and sends the difference to all browsers.
 *
 * New turns are sent as points, new events as events. After any other change (a late turn, a recomputation, too many
 * turns for one frame) null is sent, and the browser fetches the series again. So only the newest turns and events
 * are kept.
 */
import type { SeriesPoint } from '../../core/api/series';
import type { Session } from '../../core/api/session';
import type { SessionEvent } from '../../core/events/event';
import type { ChainSums, SessionTail } from '../../db/queries/load-session-state';
import { createFeed, type FeedTiming } from './feed';

/** Number of newest turns that are compared with the previous read, because a growing call changes its turn. */
export const OVERLAP_TURNS = 8;

/** New turns as points; null if something else changed too. */
function addedPoints(before: SessionTail, after: SessionTail): SeriesPoint[] | null {
  const overlap = before.turns.slice(-OVERLAP_TURNS);
  const first = overlap[0];
  if (!first) {
    // The session had no turns before. The sums show whether `after` has all its turns.
    const all = after.turns.map(({ point }) => point);
    return sameSums(sumsOf(all), after.sums) ? all : null;
  }
  if (after.turns[0]?.position !== first.position) return null;
  let same = 0;
  while (same < overlap.length && JSON.stringify(overlap[same]) === JSON.stringify(after.turns[same]))
    same += 1;
  // If the first compared turn changed, earlier turns may have changed too.
  if (same === 0) return null;
  const replaced = sumsOf(overlap.slice(same).map(({ point }) => point));
  const added = after.turns.slice(same).map(({ point }) => point);
  const expected = addSums(before.sums, sumsOf(added), replaced);
  return sameSums(expected, after.sums) ? added : null;
}

/** New and changed events; null if an event is gone or an older event changed. */
function addedEvents(before: SessionTail, after: SessionTail): SessionEvent[] | null {
  const known = new Map(before.events.map((event) => [event.id, event]));
  const added: SessionEvent[] = [];
  let fresh = 0;
  let revisions = 0;
  for (const event of after.events) {
    const old = known.get(event.id);
    if (old && JSON.stringify(old) === JSON.stringify(event)) continue;
    if (!old) fresh += 1;
    revisions += event.revision - (old?.revision ?? 0);
    added.push(event);
  }
  const isAll =
    after.eventCount === before.eventCount + fresh &&
    after.eventRevisions === before.eventRevisions + revisions;
  return isAll ? added : null;
}

const SUMS = ['turns', 'input', 'output', 'cacheRead', 'cacheCreation'] as const;

function sumsOf(points: readonly ChainSums[]): ChainSums {
  const sums: ChainSums = { turns: 0, input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };
  for (const point of points) for (const key of SUMS) sums[key] += point[key];
  return sums;
}

function addSums(base: ChainSums, added: ChainSums, removed: ChainSums): ChainSums {
  const sums = { ...base };
  for (const key of SUMS) sums[key] += added[key] - removed[key];
  return sums;
}

function sameSums(a: ChainSums, b: ChainSums): boolean {
  return SUMS.every((key) => a[key] === b[key]);
}

interface SessionSnapshot {
  session: Session;
  tail: SessionTail;
}

interface SessionFeedOptions extends FeedTiming {
  id: string;
  /** Read the session and its turns from a position on; null: unknown id. */
  load(from: number | null): Promise<SessionSnapshot | null>;
}

export type SessionFeed = ReturnType<typeof createSessionFeed>;

export function createSessionFeed(options: SessionFeedOptions) {
  const { id, load } = options;
  let held: SessionSnapshot | null = null;
  let isStale = true;
  let isGone = false;
  const feed = createFeed({
    ...options,
    read,
    snapshot: () => (held && !isGone ? snapshotBody(held) : goneBody(held)),
  });

  async function read(): Promise<string | null> {
    if (!isStale) return null;
    isStale = false;
    const from = held?.tail.turns.at(-OVERLAP_TURNS)?.position ?? null;
    let next: SessionSnapshot | null;
    try {
      next = await load(from);
    } catch (error) {
      isStale = true;
      throw error;
    }
    const body = describe(next);
    isGone = next === null || next.session.id !== id;
    held = next;
    return body;
  }

  /** Body of the frame for a browser with the previous state; null: nothing changed. */
  function describe(next: SessionSnapshot | null): string | null {
    if (!next || next.session.id !== id) return isGone ? null : goneBody(next);
    if (!held || isGone) return snapshotBody(next);
    const session = JSON.stringify(next.session);
    if (session === JSON.stringify(held.session)) return null;
    const points = addedPoints(held.tail, next.tail);
    const events = addedEvents(held.tail, next.tail);
    return (
      `"type":"session_delta","id":${JSON.stringify(id)},"session":${session},` +
      `"points":${JSON.stringify(points)},"events":${JSON.stringify(events)}`
    );
  }

  function snapshotBody({ session }: SessionSnapshot): string {
    return `"type":"session_snapshot","id":${JSON.stringify(id)},"session":${JSON.stringify(session)}`;
  }

  function goneBody(next: SessionSnapshot | null): string {
    const movedTo = next ? `,"movedTo":${JSON.stringify(next.session.id)}` : '';
    return `"type":"not_found","id":${JSON.stringify(id)}${movedTo}`;
  }

  /** Read again without a hint, also to detect that the session turned idle. */
  function sweep(): void {
    isStale = true;
    feed.ask();
  }

  return {
    subscribe: feed.subscribe,
    unsubscribe: feed.unsubscribe,
    close: feed.close,
    hint(version: number): void {
      if (!held || isGone || held.session.version < version) sweep();
    },
    sweep,
  };
}
