/** Inputs of liveness. */
export interface Clock {
  nowMs: number;
  /** A session without activity for this long is idle (BAROGRAPH_IDLE_AFTER_MINUTES). */
  idleAfterMs: number;
}
