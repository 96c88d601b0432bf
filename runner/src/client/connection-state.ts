/** The connection to the server as a pure state machine. Sockets, timers and randomness are in queue-connection.ts. */
import { CLOSE } from '../../../core/protocol/close-codes';

/** Why the connection is down. */
export type DownReason =
  /** No answer, or the connection was lost. */
  | 'unreachable'
  /** The server cannot store now, or is stopping. */
  | 'unavailable'
  /** The token is missing, unknown, revoked, or lacks the scope. */
  | 'unauthorized'
  /** The server speaks another version of the protocol. */
  | 'unsupported_version'
  /** The server could not read a frame; items are sent one by one to find the invalid one. */
  | 'bad_message';

export type ConnectionState =
  | { name: 'idle' }
  | { name: 'connecting'; attempt: number }
  | { name: 'greeting'; attempt: number }
  /** `attempt` is reset by an acknowledgement only: a server may welcome and close repeatedly. */
  | { name: 'ready'; attempt: number }
  | { name: 'waiting'; attempt: number; reason: DownReason; detail: string; retryAt: number }
  | { name: 'stopped' };

export type ConnectionEvent =
  | { type: 'start' }
  | { type: 'opened' }
  | { type: 'welcomed' }
  | { type: 'acknowledged' }
  | { type: 'closed'; code: number; detail: string }
  /** Silence for too long, or the state's timer ended. */
  | { type: 'timeout' }
  /** A flush waits: retry at once if only time holds the retry back. */
  | { type: 'hurry' }
  | { type: 'stop' };

export type ConnectionEffect =
  | { type: 'open' }
  | { type: 'say_hello' }
  | { type: 'send_items' }
  /** Send one item per frame on the next connection. */
  | { type: 'isolate' }
  | { type: 'drop_socket' }
  | { type: 'set_timer'; ms: number }
  | { type: 'clear_timer' };

export interface ConnectionTiming {
  /** First backoff, doubled with each attempt. */
  baseMs: number;
  /** Longest backoff. */
  capMs: number;
  /** Backoff for a wrong token or another version. */
  slowMs: number;
  /** Timeout of connecting, and of the welcome. */
  patienceMs: number;
}

export const DEFAULT_TIMING: ConnectionTiming = {
  baseMs: 250,
  capMs: 30_000,
  slowMs: 30_000,
  patienceMs: 15_000,
};

export interface ConnectionEnvironment {
  /** Milliseconds since the epoch. */
  now: number;
  /** From 0 up to, not including, 1. */
  random: number;
  timing: ConnectionTiming;
}

export interface Transition {
  state: ConnectionState;
  effects: ConnectionEffect[];
}

/** @returns the next state and its effects; an event that does not apply changes nothing. */
export function transition(
  state: ConnectionState,
  event: ConnectionEvent,
  env: ConnectionEnvironment,
): Transition {
  if (event.type === 'stop') return stop(state);
  switch (state.name) {
    case 'idle':
      return event.type === 'start' ? connect(0, env) : stay(state);
    case 'connecting':
      if (event.type === 'opened') {
        const effects: ConnectionEffect[] = [
          { type: 'say_hello' },
          { type: 'set_timer', ms: env.timing.patienceMs },
        ];
        return { state: { name: 'greeting', attempt: state.attempt }, effects };
      }
      return downOrStay(state, event, env);
    case 'greeting':
      if (event.type === 'welcomed') {
        return {
          state: { name: 'ready', attempt: state.attempt },
          effects: [{ type: 'clear_timer' }, { type: 'send_items' }],
        };
      }
      return downOrStay(state, event, env);
    case 'ready':
      if (event.type === 'acknowledged') return { state: { name: 'ready', attempt: 0 }, effects: [] };
      return downOrStay(state, event, env);
    case 'waiting':
      return event.type === 'timeout' || (event.type === 'hurry' && mayHurry(state.reason))
        ? connect(state.attempt, env)
        : stay(state);
    case 'stopped':
      return stay(state);
  }
}

/** Retrying early does not help with a wrong token or an invalid frame. */
function mayHurry(reason: DownReason): boolean {
  return reason === 'unreachable' || reason === 'unavailable';
}

function stay(state: ConnectionState): Transition {
  return { state, effects: [] };
}

function stop(state: ConnectionState): Transition {
  if (state.name === 'stopped') return stay(state);
  return { state: { name: 'stopped' }, effects: [{ type: 'clear_timer' }, { type: 'drop_socket' }] };
}

function connect(attempt: number, env: ConnectionEnvironment): Transition {
  return {
    state: { name: 'connecting', attempt },
    effects: [{ type: 'open' }, { type: 'set_timer', ms: env.timing.patienceMs }],
  };
}

function downOrStay(
  state: Extract<ConnectionState, { attempt: number }>,
  event: ConnectionEvent,
  env: ConnectionEnvironment,
): Transition {
  if (event.type === 'closed') return wait(state, reasonOf(event.code), event.detail, env);
  if (event.type === 'timeout') return wait(state, 'unreachable', 'The server did not answer in time.', env);
  return stay(state);
}

function wait(
  state: Extract<ConnectionState, { attempt: number }>,
  reason: DownReason,
  detail: string,
  env: ConnectionEnvironment,
): Transition {
  const ms = backoff(state.attempt, reason, env);
  const effects: ConnectionEffect[] = [{ type: 'drop_socket' }, { type: 'set_timer', ms }];
  if (reason === 'bad_message') effects.unshift({ type: 'isolate' });
  return {
    state: { name: 'waiting', attempt: state.attempt + 1, reason, detail, retryAt: env.now + ms },
    effects,
  };
}

/** Full jitter, so that a fleet does not return all at once. */
function backoff(attempt: number, reason: DownReason, { random, timing }: ConnectionEnvironment): number {
  if (reason === 'unauthorized' || reason === 'unsupported_version') {
    return Math.round(timing.slowMs * (1 + random));
  }
  const bound = Math.min(timing.capMs, timing.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(random * bound);
}

function reasonOf(code: number): DownReason {
  switch (code) {
    case CLOSE.unauthorized:
    case CLOSE.forbidden:
      return 'unauthorized';
    case CLOSE.unsupportedVersion:
      return 'unsupported_version';
    case CLOSE.badMessage:
    case CLOSE.frameTooLarge:
      return 'bad_message';
    case CLOSE.unavailable:
    case CLOSE.goingAway:
      return 'unavailable';
    default:
      return 'unreachable';
  }
}
