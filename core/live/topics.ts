import type { LiveFrame, LiveTopic } from './protocol';

/** A topic as one string, usable as a key. */
export type TopicKey = 'fleet' | `session:${string}`;

export function topicKey(topic: LiveTopic): TopicKey {
  return topic.topic === 'fleet' ? 'fleet' : `session:${topic.id}`;
}

export function topicOf(key: TopicKey): LiveTopic {
  return key === 'fleet' ? { topic: 'fleet' } : { topic: 'session', id: key.slice('session:'.length) };
}

/** The topic a frame belongs to; null for a pong. */
export function frameTopic(frame: LiveFrame): TopicKey | null {
  switch (frame.type) {
    case 'fleet_snapshot':
    case 'fleet_delta':
      return 'fleet';
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
  return frame.type === 'fleet_snapshot' || frame.type === 'session_snapshot' || frame.type === 'not_found';
}
