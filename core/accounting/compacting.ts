/** How long an announced compaction of which nothing is heard can be believed to go on. */
import type { Compacting } from '../api/session';

/**
 * Milliseconds. Compactions seen in real transcripts took 52 to 87 seconds, and clients give them up after a few
 * minutes: what is silent for longer was broken off, and a screen that went on saying "compacting now" would be wrong.
 */
export const COMPACTING_LASTS_MS = 5 * 60_000;

/** The compaction where it may still be under way; null: none, or it was announced too long ago. */
export function compactingAt(compacting: Compacting | null, nowMs: number): Compacting | null {
  return nowMs < compactingUntil(compacting) ? compacting : null;
}

/** From when on it is no longer believed, milliseconds; `-Infinity` without one. */
export function compactingUntil(compacting: Compacting | null): number {
  return compacting === null ? Number.NEGATIVE_INFINITY : Date.parse(compacting.at) + COMPACTING_LASTS_MS;
}
