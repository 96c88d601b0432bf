const FIRST_MONTH = 2020 * 12;

/**
 * The month partition of a session that begins at `atMs`: year × 12 + month from 0, in UTC. A time before 2020 or
 * after the coming month is a wrong clock, and gets no table of its own.
 */
export function monthOf(atMs: number, nowMs: number): number {
  return Math.min(Math.max(monthIndex(atMs), FIRST_MONTH), monthIndex(nowMs) + 1);
}

function monthIndex(ms: number): number {
  const date = new Date(ms);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
