/**
 * The live feed, `/v1/live`: what the browser and the server say to each other.
 *
 * A client subscribes to topics; each gets a snapshot first, then deltas. Rows of the fleet are what a list
 * shows (fleet-row.ts): their `coverage` and `clientSessionIds` are empty. Frames are numbered per
 * connection (`n`: 1, 2, 3 …) under the server's `epoch`; a hole or another epoch makes the client
 * subscribe anew. A client too slow to read gets a fresh snapshot instead of a growing queue.
 */

import type { SeriesPoint } from '../api/series';
import type { Session, SessionEvent } from '../api/session';

export type LiveTopic =
  | { topic: 'fleet' }
  | { topic: 'events' }
  | { topic: 'turns' }
  | { topic: 'session'; id: string };

/** Events in a snapshot, at most: fewer are all there are. */
export const SNAPSHOT_EVENTS = 200;

export type LiveRequest =
  | ({ type: 'subscribe' } & LiveTopic)
  | ({ type: 'unsubscribe' } & LiveTopic)
  | { type: 'ping'; at: number };

export interface FleetCounts {
  /** Restarts and confirmed compactions of the last hour. */
  restarts: number;
  compactions: number;
  /** Σ cacheRead / Σ (input + cacheCreation + cacheRead) of the last hour; null without turns. */
  cacheReadShare: number | null;
}

export type LiveFrame = { n: number; epoch: string; now: number } /**
 * A large fleet comes in parts: the most recently active sessions here, the others as deltas after it.
 * `total` is how many there are in the feed.
 */ & (
  | { type: 'fleet_snapshot'; sessions: Session[]; counts: FleetCounts; total?: number }
  | { type: 'fleet_delta'; changed: Session[]; removed: string[]; counts: FleetCounts; total?: number }
  | { type: 'session_snapshot'; id: string; session: Session }
  /**
   * A session changed. `points` are its main chain's new turns in the session's lens, in order, when they
   * simply follow what was sent; null: fetch the series again (a late turn, a recomputation, too many).
   */
  | {
      type: 'session_delta';
      id: string;
      session: Session;
      points: SeriesPoint[] | null;
      events: SessionEvent[] | null;
    }
  /** The newest events of all sessions by time, the newest first. */
  | { type: 'events_snapshot'; events: SessionEvent[] }
  /** `events`: new or revised, the newest first; `retracted`: ids of those that stand no more. */
  | { type: 'events_delta'; events: SessionEvent[]; retracted: string[] }
  /** When the newest turn of any session came; null: there is none. Each frame is complete. */
  | { type: 'newest_turn'; at: string | null }
  /** No such session (any more); `movedTo`: it was adopted, and lives on under that id. */
  | { type: 'not_found'; id: string; movedTo?: string }
  | { type: 'pong'; at: number }
);
