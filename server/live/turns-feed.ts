/**
 * The topic of turns: the time of the newest turn of any session, for screens that only show whether the
 * fleet is active. One small query for all browsers after each change, at most once per interval; a slow
 * browser gets the next answer.
 */
import type { FrameSender } from './frame-sender';
import { createThrottle } from './throttle';

export interface TurnsFeedOptions {
  /** Time of the newest turn, ISO 8601; null: there is none. */
  loadNewest(): Promise<string | null>;
  onError(error: unknown): void;
  /** Minimum time between two frames. */
  tickMs: number;
}

export interface TurnsFeed {
  /** Send the time now and after each change. */
  subscribe(sender: FrameSender): void;
  unsubscribe(sender: FrameSender): void;
  /** A session changed. */
  hint(): void;
  close(): void;
}

export function createTurnsFeed({ loadNewest, onError, tickMs }: TurnsFeedOptions): TurnsFeed {
  /** The last time sent to each; undefined: none yet. */
  const sent = new Map<FrameSender, string | null | undefined>();
  const throttle = createThrottle(() => tick().catch(onError), tickMs);

  async function tick(): Promise<void> {
    if (sent.size === 0) return;
    const at = await loadNewest();
    for (const [sender, last] of sent) {
      if (last === at || sender.isBehind()) continue;
      sent.set(sender, at);
      sender.send(`"type":"newest_turn","at":${JSON.stringify(at)}`);
    }
  }

  return {
    subscribe(sender) {
      sent.set(sender, undefined);
      throttle.ask();
    },
    unsubscribe(sender) {
      sent.delete(sender);
    },
    hint() {
      if (sent.size > 0) throttle.ask();
    },
    close() {
      throttle.stop();
      sent.clear();
    },
  };
}
