import type { FrameSender } from './frame-sender';
import { createThrottle } from './throttle';

export type Feed = ReturnType<typeof createFeed>;

export interface FeedTiming {
  onError(error: unknown): void;
  /** Pause after a read that took so long, milliseconds. */
  pauseMs(tookMs: number): number;
}

interface FeedSource extends FeedTiming {
  /** Reads again. Returns the delta's body; null: nothing changed. */
  read(): Promise<string | null>;
  /** Body of a snapshot, which needs no earlier frame. */
  snapshot(): string;
}

/**
 * One topic, read once for all its browsers. A browser gets a snapshot, then deltas. A slow browser gets a new snapshot
 * once it has caught up.
 */
export function createFeed({ read, snapshot, onError, pauseMs }: FeedSource) {
  const readers = new Map<FrameSender, 'new' | 'following' | 'behind'>();
  const throttle = createThrottle(() => tick().catch(onError), pauseMs);

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
    subscribe(sender: FrameSender): void {
      readers.set(sender, 'new');
      throttle.ask();
    },
    /** Returns whether there are other readers. */
    unsubscribe(sender: FrameSender): boolean {
      readers.delete(sender);
      return readers.size > 0;
    },
    /** Read as soon as the interval allows, if there are readers. */
    ask(): void {
      if (readers.size > 0) throttle.ask();
    },
    close(): void {
      throttle.stop();
      readers.clear();
    },
  };
}
