/** What is wrong with the lines of a project, for those who set them: the page as they type, the server always. */
import type { Thresholds } from './types';

export const THRESHOLD_NAMES = [
  'elevated',
  'warning',
  'critical',
  'redlined',
  'compressLine',
  'restartLine',
] as const satisfies readonly (keyof Thresholds)[];
export type ThresholdName = (typeof THRESHOLD_NAMES)[number];

/** Bounds of states next to each other: the second must lie above the first. */
const ASCENDING = [
  ['elevated', 'warning'],
  ['warning', 'critical'],
  ['critical', 'redlined'],
] as const;

/** A line beyond twice the limit says nothing that "never" (above 100 %) does not. */
export const HIGHEST_LINE = 2;

export interface ThresholdProblem {
  field: ThresholdName;
  /** Reads behind the field's name: "must be …". */
  reason: string;
}

/** The first thing wrong, or null. @param changed lines being set: of two that contradict, the one at fault. */
export function findThresholdProblem(
  thresholds: Readonly<Thresholds>,
  changed: readonly ThresholdName[],
): ThresholdProblem | null {
  for (const field of THRESHOLD_NAMES) {
    const line = thresholds[field];
    if (!(Number.isFinite(line) && line > 0 && line <= HIGHEST_LINE)) {
      return { field, reason: `must be above 0 and at most ${percent(HIGHEST_LINE)} of the limit` };
    }
  }
  for (const [lower, upper] of ASCENDING) {
    if (thresholds[lower] < thresholds[upper]) continue;
    return changed.includes(lower) && !changed.includes(upper)
      ? { field: lower, reason: `must be below ${nameOf(upper)} (${percent(thresholds[upper])})` }
      : { field: upper, reason: `must be above ${nameOf(lower)} (${percent(thresholds[lower])})` };
  }
  return null;
}

const nameOf = (name: ThresholdName): string => (name === 'redlined' ? 'over limit' : name);
const percent = (line: number): string => `${Math.round(line * 1_000) / 10} %`;
