/** An announced compaction without a further report counts as aborted after a while. */
import type { Compacting } from '../api/session';

/** Compactions in real transcripts took 52 to 87 seconds. */
export const COMPACTING_LASTS_MS = 5 * 60_000;

export function compactingAt(compacting: Compacting | null, nowMs: number): Compacting | null {
  return nowMs < compactingUntil(compacting) ? compacting : null;
}

/** Milliseconds since the epoch; `-Infinity` without a compaction. */
export function compactingUntil(compacting: Compacting | null): number {
  return compacting === null ? Number.NEGATIVE_INFINITY : Date.parse(compacting.at) + COMPACTING_LASTS_MS;
}
