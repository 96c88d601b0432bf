/** Where the small charts of those that go next begin. Pure. */
import type { Session } from '@/core/api/session';

/** Half of the limit: whoever goes next is mostly above it, and what is below it is paper. */
const HIGH_FLOOR = 0.5;

/**
 * The share of the limit at the foot of the charts: half of it where nothing they show lies below, so that what
 * matters has their height; else 0. One for all of them, so that their heights compare.
 */
export function chartFloor(sessions: readonly Session[], sinceMs: number): number {
  return sessions.every((session) => isAbove(session, sinceMs)) ? HIGH_FLOOR : 0;
}

function isAbove({ trace, limit, used }: Session, sinceMs: number): boolean {
  if (limit === null || limit <= 0) return false;
  const least = limit * HIGH_FLOOR;
  if (used !== null && used < least) return false;
  // The last value before the window is the one at its left edge.
  const first = trace.findIndex(([seconds]) => seconds * 1_000 >= sinceMs);
  const shown = first === -1 ? trace.slice(-1) : trace.slice(Math.max(0, first - 1));
  return shown.every(([, value]) => value === null || value >= least);
}

/** The shares that are drawn as lines over a floor, from the foot up. */
export function gridShares(floor: number): readonly number[] {
  return floor > 0 ? [0.5, 0.75, 1] : [0, 0.5, 1];
}

/** The height the whole axis would have, of which the part above the floor fills `height`. */
export function wholeHeight(height: number, floor: number, axisEnd: number): number {
  return height * (axisEnd / (axisEnd - floor));
}
