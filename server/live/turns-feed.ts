/**
 * The topic of turns: when the newest turn of any session came, for screens that look at something else and still say
 * whether the fleet is at work. One small query for all browsers, as often as something changed and no more than the
 * interval allows; a browser that fell behind gets the next answer.
 */
import type { FrameSender } from './frame-sender';
import { createThrottle } from './throttle';

export interface TurnsFeedOptions {
  /** Time of the newest turn, ISO 8601; null: there is none. */
  loadNewest(): Promise<string | null>;
  onError(error: unknown): void;
  /** Least time between two frames. */
  tickMs: number;
}

export interface TurnsFeed {
  /** Sends the time, and again whenever it is another. */
  subscribe(sender: FrameSender): void;
  unsubscribe(sender: FrameSender): void;
  /** Something changed. */
  hint(): void;
  close(): void;
}

export function createTurnsFeed({ loadNewest, onError, tickMs }: TurnsFeedOptions): TurnsFeed {
  /** What each was told; undefined: nothing yet. */
  const told = new Map<FrameSender, string | null | undefined>();
  const throttle = createThrottle(() => tick().catch(onError), tickMs);

  async function tick(): Promise<void> {
    if (told.size === 0) return;
    const at = await loadNewest();
    for (const [sender, last] of told) {
      if (last === at || sender.isBehind()) continue;
      told.set(sender, at);
      sender.send(`"type":"newest_turn","at":${JSON.stringify(at)}`);
    }
  }

  return {
    subscribe(sender) {
      told.set(sender, undefined);
      throttle.ask();
    },
    unsubscribe(sender) {
      told.delete(sender);
    },
    hint() {
      if (told.size > 0) throttle.ask();
    },
    close() {
      throttle.stop();
      told.clear();
    },
  };
}
