/** What the bench and the process that plays its fleet tell each other over IPC. */
export interface PlayTask {
  /** ws:// address of the ingest. */
  url: string;
  token: string;
  /** Sessions of the fleet, and over how many runners they are spread. */
  sessions: number;
  runners: number;
  /** Turns of each session before the clock starts, within the last hour. */
  turnsBefore: number;
  /** Turns a second from then on, over all sessions. */
  turnsPerSecond: number;
}

/** `ready`: all turns before are acknowledged. `stopped`: after a `stop`; how many turns went out, in what time. */
export type PlayMessage = { type: 'ready' } | { type: 'stopped'; turns: number; elapsedMs: number };
export type PlayRequest = ({ type: 'begin' } & PlayTask) | { type: 'go' } | { type: 'stop' };
