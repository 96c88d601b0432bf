/** Messages between the bench and its load process over IPC. */
export interface LoadTask {
  /** ws:// address of the ingest. */
  url: string;
  token: string;
  project: string;
  connections: number;
  turnsPerConnection: number;
  turnsPerFrame: number;
  /** Frames of one connection that may wait for their acknowledgement. */
  framesInFlight: number;
  /** Prefix of sessions and calls that separates rounds. */
  round: number;
}

export interface LoadResult {
  acknowledged: number;
  refused: number;
  /** From the first frame sent to the last acknowledgement received, milliseconds. */
  elapsedMs: number;
}
