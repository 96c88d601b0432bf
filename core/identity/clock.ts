/** Tolerated difference between the clocks of a live runner and the server, milliseconds. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** Tolerated lead of an item's time over the server's, milliseconds: network delay and rounding. */
const FUTURE_TOLERANCE_MS = 1_000;

export interface EffectiveTime {
  /** Milliseconds since the epoch: the runner's time, or the server's if the runner's clock is off. */
  at: number;
  clockOff: boolean;
}

interface ReportedTime {
  runnerMs: number;
  serverMs: number;
  /**
   * Lag of the runner's clock, measured at the hello. Unlike an item's delay, the lag excludes the time in the queue.
   * Null: not measured, so the item's delay is used.
   */
  clockBehindMs: number | null;
  /** Imported history keeps its times, unless they lie in the future. */
  backfill: boolean;
}

/** The time shown for an item. Positions, not times, determine the order of items. */
export function effectiveTime(reported: Readonly<ReportedTime>): EffectiveTime {
  const { runnerMs, serverMs, clockBehindMs, backfill } = reported;
  const isFuture = runnerMs > serverMs + FUTURE_TOLERANCE_MS;
  const behindMs = clockBehindMs ?? serverMs - runnerMs;
  const isOff = !backfill && Math.abs(behindMs) > CLOCK_TOLERANCE_MS;
  return isFuture || isOff ? { at: serverMs, clockOff: true } : { at: runnerMs, clockOff: false };
}
