import type { LiveFrame, LiveTopic } from './protocol';

/** A topic as one string, usable as a key. */
export type TopicKey = 'fleet' | 'events' | 'turns' | `session:${string}`;

export function topicKey(topic: LiveTopic): TopicKey {
  return topic.topic === 'session' ? `session:${topic.id}` : topic.topic;
}

export function topicOf(key: TopicKey): LiveTopic {
  if (key === 'fleet' || key === 'events' || key === 'turns') return { topic: key };
  return { topic: 'session', id: key.slice('session:'.length) };
}

/** The topic a frame belongs to; null for a pong. */
export function frameTopic(frame: LiveFrame): TopicKey | null {
  switch (frame.type) {
    case 'fleet_snapshot':
    case 'fleet_delta':
      return 'fleet';
    case 'events_snapshot':
    case 'events_delta':
      return 'events';
    case 'newest_turn':
      return 'turns';
    case 'session_snapshot':
    case 'session_delta':
    case 'not_found':
      return `session:${frame.id}`;
    case 'pong':
      return null;
  }
}

/** Whether the frame is complete by itself, so that nothing before it needs to be known. */
export function startsTopic(frame: LiveFrame): boolean {
  switch (frame.type) {
    case 'fleet_snapshot':
    case 'events_snapshot':
    case 'session_snapshot':
    case 'newest_turn':
    case 'not_found':
      return true;
    default:
      return false;
  }
}
