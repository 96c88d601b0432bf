/**
 * The live feed, `/v1/live`. A client subscribes to topics. For each topic it gets a snapshot, then deltas. Frames have
 * a number per connection (`n`) and the server's `epoch`. After a gap or a new epoch the client subscribes again. A
 * slow client gets a fresh snapshot instead of a growing queue.
 */
import type { Alert } from '../api/alerts';
import type { SeriesPoint } from '../api/series';
import type { Session } from '../api/session';
import type { SessionEvent } from '../events/event';

export type LiveTopic =
  | { topic: 'fleet' }
  | { topic: 'events' }
  | { topic: 'turns' }
  | { topic: 'alerts' }
  | { topic: 'session'; id: string };

/** Maximum number of events in a snapshot. A snapshot with fewer contains all events. */
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

/**
 * A large fleet is sent in parts: the most recently active sessions in the snapshot, the others in later deltas.
 * `total` is the number of sessions in the feed.
 */
export type LiveFrame = { n: number; epoch: string; now: number } & (
  | { type: 'fleet_snapshot'; sessions: Session[]; counts: FleetCounts; total?: number }
  | { type: 'fleet_delta'; changed: Session[]; removed: string[]; counts: FleetCounts; total?: number }
  | { type: 'session_snapshot'; id: string; session: Session }
  /** `points`: new turns of the main chain. `events`: new or revised events. Null: fetch the series or events again. */
  | {
      type: 'session_delta';
      id: string;
      session: Session;
      points: SeriesPoint[] | null;
      events: SessionEvent[] | null;
    }
  /** The newest events of all sessions by time, the newest first. */
  | { type: 'events_snapshot'; events: SessionEvent[] }
  /** `events`: new or revised events, the newest first. `retracted`: ids of retracted events. */
  | { type: 'events_delta'; events: SessionEvent[]; retracted: string[] }
  /** Time of the newest turn of any session. Null: there is no turn. Snapshot and delta are the same message. */
  | { type: 'newest_turn'; at: string | null }
  /** Open alerts, the newest first, at most 200; `total` counts all. Snapshot and delta are the same message. */
  | { type: 'alerts'; alerts: Alert[]; total: number; deadLetters: number }
  /** The session does not exist. `movedTo`: the id of the session that adopted it. */
  | { type: 'not_found'; id: string; movedTo?: string }
  | { type: 'pong'; at: number }
);

export type TopicKey = 'fleet' | 'events' | 'turns' | 'alerts' | `session:${string}`;

export function topicKey(topic: LiveTopic): TopicKey {
  return topic.topic === 'session' ? `session:${topic.id}` : topic.topic;
}

export function topicOf(key: TopicKey): LiveTopic {
  if (key === 'fleet' || key === 'events' || key === 'turns' || key === 'alerts') return { topic: key };
  return { topic: 'session', id: key.slice('session:'.length) };
}

/** The topic of each kind of frame, and whether later deltas may build on the frame. */
const FRAMES: Record<LiveFrame['type'], { topic: LiveTopic['topic'] | null; isBase?: true }> = {
  fleet_snapshot: { topic: 'fleet', isBase: true },
  fleet_delta: { topic: 'fleet' },
  session_snapshot: { topic: 'session', isBase: true },
  session_delta: { topic: 'session' },
  events_snapshot: { topic: 'events', isBase: true },
  events_delta: { topic: 'events' },
  newest_turn: { topic: 'turns', isBase: true },
  alerts: { topic: 'alerts', isBase: true },
  not_found: { topic: 'session', isBase: true },
  pong: { topic: null },
};

export function frameTopic(frame: LiveFrame): TopicKey | null {
  if ('id' in frame) return `session:${frame.id}`;
  return FRAMES[frame.type].topic as Exclude<TopicKey, `session:${string}`> | null;
}

export function startsTopic({ type }: LiveFrame): boolean {
  return FRAMES[type].isBase === true;
}

/** Null: invalid. Only the envelope is checked, because ten thousand trusted rows may arrive four times a second. */
export function readFrame(text: string): LiveFrame | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isFrame(value) ? value : null;
}

function isFrame(value: unknown): value is LiveFrame {
  if (typeof value !== 'object' || value === null) return false;
  const frame = value as Record<string, unknown>;
  return (
    typeof frame.type === 'string' &&
    Object.hasOwn(FRAMES, frame.type) &&
    Number.isSafeInteger(frame.n) &&
    typeof frame.epoch === 'string' &&
    typeof frame.now === 'number'
  );
}
