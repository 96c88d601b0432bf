/** Reconnect delays: full jitter below an exponential ceiling, so that browsers do not reconnect at the same moment. */
export interface BackOff {
  baseMs: number;
  capMs: number;
}

const LIVE_BACK_OFF: BackOff = { baseMs: 500, capMs: 15_000 };

/** @param attempt 1 is the first attempt after a loss @param random a number in [0, 1) */
export function backOffDelay(
  attempt: number,
  random: number,
  { baseMs, capMs }: BackOff = LIVE_BACK_OFF,
): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(0, attempt - 1), 30));
  return Math.round(ceiling * random);
}
