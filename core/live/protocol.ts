/**
 * The live feed, `/v1/live`. A client subscribes to topics; each gets a snapshot, then deltas. Frames are numbered per
 * connection (`n`) under the server's `epoch`; after a gap or another epoch the client reconnects. A slow client gets a
 * fresh snapshot instead of a growing queue.
 */
import type { SeriesPoint } from '../api/series';
import type { Session } from '../api/session';
import type { SessionEvent } from '../events/event';

export type LiveTopic =
  | { topic: 'fleet' }
  | { topic: 'events' }
  | { topic: 'turns' }
  | { topic: 'session'; id: string };

/** Maximum of events in a snapshot: fewer are all there are. */
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
  /** `points`: new turns of the main chain, if they simply follow; null: fetch the series again. */
  | {
      type: 'session_delta';
      id: string;
      session: Session;
      points: SeriesPoint[] | null;
      events: SessionEvent[] | null;
    }
  /** The newest events of all sessions by time, the newest first. */
  | { type: 'events_snapshot'; events: SessionEvent[] }
  /** `events`: new or revised, the newest first; `retracted`: ids of retracted ones. */
  | { type: 'events_delta'; events: SessionEvent[]; retracted: string[] }
  /** Time of the newest turn of any session; null: there is none. Each frame is complete. */
  | { type: 'newest_turn'; at: string | null }
  /** The session does not exist; `movedTo`: its new id after an adoption. */
  | { type: 'not_found'; id: string; movedTo?: string }
  | { type: 'pong'; at: number }
);

/** The topic as a key of a map. */
export function topicKey(topic: LiveTopic): string {
  return topic.topic === 'session' ? `session:${topic.id}` : topic.topic;
}

/** Null when invalid. Only the envelope is checked: ten thousand trusted rows would be checked four times a second. */
export function readFrame(text: string): LiveFrame | null {
  try {
    const frame = JSON.parse(text) as LiveFrame;
    const isFrame =
      Number.isSafeInteger(frame.n) && Number.isFinite(frame.now) && typeof frame.epoch === 'string';
    return isFrame ? frame : null;
  } catch {
    return null;
  }
}
