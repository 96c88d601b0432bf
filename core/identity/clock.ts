/** How far a live runner's clock may be behind before the server's time is used, milliseconds. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** How far ahead it may be: what the network and two clocks' rounding make is no future. */
const FUTURE_TOLERANCE_MS = 1_000;

export interface EffectiveTime {
  /** Milliseconds since the epoch: the runner's, or the server's where the runner's clock was off. */
  at: number;
  clockOff: boolean;
}

export interface ReportedTime {
  /** The item's time by the runner's clock. */
  runnerMs: number;
  /** When the server received the item. */
  serverMs: number;
  /**
   * How far the runner's clock is behind the server's, measured at its hello. An item that waited in
   * the queue while the server was away is late and not wrong, so the clock is judged and not the delay.
   * null: the runner did not say, and a live item's own delay is all there is to judge by.
   */
  clockBehindMs: number | null;
  /** Imported history keeps its times, unless they lie in the future. */
  backfill: boolean;
}

/** The time an item is shown at. Time never orders anything: positions do. */
export function effectiveTime(reported: Readonly<ReportedTime>): EffectiveTime {
  const { runnerMs, serverMs, clockBehindMs, backfill } = reported;
  const isFuture = runnerMs > serverMs + FUTURE_TOLERANCE_MS;
  const behindMs = clockBehindMs ?? serverMs - runnerMs;
  const isOff = !backfill && Math.abs(behindMs) > CLOCK_TOLERANCE_MS;
  return isFuture || isOff ? { at: serverMs, clockOff: true } : { at: runnerMs, clockOff: false };
}
