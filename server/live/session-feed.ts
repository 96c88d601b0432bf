/**
 * The topic of one session: reads its newest end when it changed and sends what was added, once for all
 * browsers that look at it.
 *
 * It remembers the end it sent last. What follows from it simply is sent as points and events; anything
 * else (a late turn, a recomputation, more than one frame should hold) is sent as null, and the browser
 * fetches the series again: the memory stays small and the picture right.
 */
import type { Session } from '../../core/api/session';
import type { SessionTail } from '../../db/queries/load-session-tail';
import type { FrameSender } from './frame-sender';
import { addedEvents, addedPoints, OVERLAP_TURNS } from './session-difference';
import { createThrottle } from './throttle';

export interface SessionSnapshot {
  session: Session;
  tail: SessionTail;
}

export interface SessionFeedOptions {
  id: string;
  /** Reads the session and its turns from a position on; null: there is none of this id. */
  load(from: number | null): Promise<SessionSnapshot | null>;
  onError(error: unknown): void;
  tickMs: number;
}

export interface SessionFeed {
  subscribe(sender: FrameSender): void;
  /** Returns whether somebody still looks. */
  unsubscribe(sender: FrameSender): boolean;
  /** It changed, or may have. */
  hint(version: number): void;
  /** Looks again whether or not a hint came, and whether it turned idle. */
  sweep(): void;
  close(): void;
}

type ReaderState = 'new' | 'following' | 'behind';

export function createSessionFeed(options: SessionFeedOptions): SessionFeed {
  const { id, load, onError } = options;
  const readers = new Map<FrameSender, ReaderState>();
  let held: SessionSnapshot | null = null;
  let isStale = true;
  let isGone = false;
  const throttle = createThrottle(() => tick().catch(onError), options.tickMs);

  async function tick(): Promise<void> {
    if (readers.size === 0) return;
    let body: string | null = null;
    if (isStale) {
      isStale = false;
      const from = held?.tail.turns.at(-OVERLAP_TURNS)?.position ?? null;
      let next: SessionSnapshot | null;
      try {
        next = await load(from);
      } catch (error) {
        isStale = true;
        throw error;
      }
      body = describe(next);
      isGone = next === null || next.session.id !== id;
      held = next;
    }
    for (const [sender, state] of readers) {
      if (state === 'new') beginOnceCaughtUp(sender);
      else if (state === 'following' && body !== null) follow(sender, body);
    }
  }

  /** What the change looks like to a browser that has all before it; null: nothing changed. */
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

  function begin(sender: FrameSender): void {
    readers.set(sender, 'following');
    sender.send(held && !isGone ? snapshotBody(held) : goneBody(held));
  }

  function follow(sender: FrameSender, body: string): void {
    if (!sender.isBehind()) {
      sender.send(body);
      return;
    }
    beginOnceCaughtUp(sender);
  }

  function beginOnceCaughtUp(sender: FrameSender): void {
    readers.set(sender, 'behind');
    sender.whenCaughtUp(() => {
      if (readers.get(sender) === 'behind') begin(sender);
    });
  }

  return {
    subscribe(sender) {
      readers.set(sender, 'new');
      throttle.ask();
    },
    unsubscribe(sender) {
      readers.delete(sender);
      return readers.size > 0;
    },
    hint(version) {
      if (held && !isGone && held.session.version >= version) return;
      isStale = true;
      throttle.ask();
    },
    sweep() {
      isStale = true;
      throttle.ask();
    },
    close() {
      throttle.stop();
      readers.clear();
    },
  };
}
