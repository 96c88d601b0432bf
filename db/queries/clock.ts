/** Inputs of liveness. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs: number;
  /** A session without activity for this long is idle (BAROGRAPH_IDLE_AFTER_MINUTES). */
  idleAfterMs: number;
}
