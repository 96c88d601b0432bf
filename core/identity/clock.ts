/** How far a live runner's clock may be behind before the server's time is used, milliseconds. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** How far ahead it may be: network delay and rounding. */
const FUTURE_TOLERANCE_MS = 1_000;

export interface EffectiveTime {
  /** Milliseconds since the epoch: the runner's, or the server's where the runner's clock was off. */
  at: number;
  clockOff: boolean;
}

interface ReportedTime {
  runnerMs: number;
  serverMs: number;
  /**
   * How far the runner's clock is behind, measured at its hello: an item that waited in the queue is late, not
   * wrong. null: unknown.
   */
  clockBehindMs: number | null;
  /** Imported history keeps its times, unless they lie in the future. */
  backfill: boolean;
}

/** The time shown for an item; order comes from positions. */
export function effectiveTime(reported: Readonly<ReportedTime>): EffectiveTime {
  const { runnerMs, serverMs, clockBehindMs, backfill } = reported;
  const isFuture = runnerMs > serverMs + FUTURE_TOLERANCE_MS;
  const behindMs = clockBehindMs ?? serverMs - runnerMs;
  const isOff = !backfill && Math.abs(behindMs) > CLOCK_TOLERANCE_MS;
  return isFuture || isOff ? { at: serverMs, clockOff: true } : { at: runnerMs, clockOff: false };
}
