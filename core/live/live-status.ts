import type { ConnectionState } from './connection-state';

/** What a badge shows: *live*, *reconnecting* (old data stays), or *stale since …*. */
export type LiveStatus =
  | { status: 'connecting' }
  /** `offsetMs`: the server's clock minus ours, so that ages are counted by one clock. */
  | { status: 'live'; offsetMs: number }
  /** `since`: the last moment the picture was known to be right, milliseconds by our clock. */
  | { status: 'reconnecting'; since: number; retryAt: number | null }
  | { status: 'stale'; since: number; retryAt: number | null }
  | { status: 'stopped' };

export function liveStatus(state: ConnectionState): LiveStatus {
  switch (state.status) {
    case 'connecting':
    case 'stopped':
      return { status: state.status };
    case 'live':
      return { status: 'live', offsetMs: state.offsetMs };
    case 'reconnecting':
    case 'stale':
      return {
        status: state.status,
        since: state.since,
        retryAt: state.socket.phase === 'waiting' ? state.socket.retryAt : null,
      };
  }
}

/** Clock differences below this are jitter of the network, milliseconds. */
const OFFSET_JITTER_MS = 1_000;

export function sameStatus(a: LiveStatus, b: LiveStatus): boolean {
  if (a.status === 'live' && b.status === 'live') return Math.abs(a.offsetMs - b.offsetMs) < OFFSET_JITTER_MS;
  if (a.status === 'reconnecting' || a.status === 'stale') {
    return a.status === b.status && a.since === b.since && a.retryAt === b.retryAt;
  }
  return a.status === b.status;
}
