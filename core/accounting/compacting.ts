/** How long an announced compaction of which nothing is heard can be believed to go on. */
import type { Compacting } from '../api/session';

/** Compactions in real transcripts took 52 to 87 seconds; what is silent for longer than this was broken off. */
export const COMPACTING_LASTS_MS = 5 * 60_000;

export function compactingAt(compacting: Compacting | null, nowMs: number): Compacting | null {
  return nowMs < compactingUntil(compacting) ? compacting : null;
}

/** From when on it is no longer believed, milliseconds; `-Infinity` without one. */
export function compactingUntil(compacting: Compacting | null): number {
  return compacting === null ? Number.NEGATIVE_INFINITY : Date.parse(compacting.at) + COMPACTING_LASTS_MS;
}
