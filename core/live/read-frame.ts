import type { LiveFrame } from './protocol';

const FRAME_TYPES: Record<LiveFrame['type'], true> = {
  fleet_snapshot: true,
  fleet_delta: true,
  session_snapshot: true,
  session_delta: true,
  events_snapshot: true,
  events_delta: true,
  newest_turn: true,
  not_found: true,
  pong: true,
};

/**
 * A frame from its text; null when it is none. The envelope is checked, the rows are taken as they are:
 * they come from the server that delivered the page, and ten thousand of them would be checked four times
 * a second.
 */
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
    Object.hasOwn(FRAME_TYPES, frame.type) &&
    Number.isSafeInteger(frame.n) &&
    typeof frame.epoch === 'string' &&
    typeof frame.now === 'number'
  );
}
