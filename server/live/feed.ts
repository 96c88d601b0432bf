import type { FrameSender } from './frame-sender';
import { createThrottle } from './throttle';

/**
 * One topic, read once for all its browsers. Each begins with a snapshot and follows with deltas; one that
 * reads too slowly begins again once it has caught up.
 */
export interface Feed {
  subscribe(sender: FrameSender): void;
  /** Returns whether there are other readers. */
  unsubscribe(sender: FrameSender): boolean;
  /** Read as soon as the interval allows it, if anybody listens. */
  ask(): void;
  close(): void;
}

export interface FeedTiming {
  onError(error: unknown): void;
  /** Minimum time between two frames, milliseconds. */
  tickMs: number;
}

export interface FeedSource extends FeedTiming {
  /** Read again; the delta's body, null: nothing changed. */
  read(): Promise<string | null>;
  /** Body of the frame that needs no earlier one. */
  snapshot(): string;
}

export function createFeed({ read, snapshot, onError, tickMs }: FeedSource): Feed {
  const readers = new Map<FrameSender, 'new' | 'following' | 'behind'>();
  const throttle = createThrottle(() => tick().catch(onError), tickMs);

  async function tick(): Promise<void> {
    if (readers.size === 0) return;
    const body = await read();
    for (const [sender, state] of readers) {
      if (state === 'following' && body === null) continue;
      if (state === 'following' && body !== null && !sender.isBehind()) sender.send(body);
      else if (state !== 'behind') beginOnceCaughtUp(sender);
    }
  }

  function beginOnceCaughtUp(sender: FrameSender): void {
    readers.set(sender, 'behind');
    sender.whenCaughtUp(() => {
      if (readers.get(sender) !== 'behind') return;
      readers.set(sender, 'following');
      sender.send(snapshot());
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
    ask() {
      if (readers.size > 0) throttle.ask();
    },
    close() {
      throttle.stop();
      readers.clear();
    },
  };
}
