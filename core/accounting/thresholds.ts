import type { StateBounds, Thresholds } from './types';

/** Default thresholds of a project, as shares of the limit. */
export const DEFAULT_THRESHOLDS: Readonly<Thresholds> = {
  elevated: 0.5,
  warning: 0.75,
  critical: 0.85,
  redlined: 1,
  compressLine: 0.8,
  restartLine: 0.9,
};

/** Above this ratio of cache traffic to sums, calls repeat their history, so sums are not the context's size. */
export const DWARFING_CACHE = 10;

export type ThresholdName = keyof Thresholds;
export const THRESHOLD_NAMES = Object.keys(DEFAULT_THRESHOLDS) as ThresholdName[];
const BOUNDS = ['elevated', 'warning', 'critical', 'redlined'] as const;

const isSame = (a: Readonly<StateBounds>, b: Readonly<StateBounds>): boolean =>
  BOUNDS.every((name) => a[name] === b[name]);

function boundsOf({ elevated, warning, critical, redlined }: Readonly<StateBounds>): StateBounds {
  return { elevated, warning, critical, redlined };
}

/** Bounds of the states; null: the defaults. */
export function ownBounds(thresholds: Readonly<Thresholds>): StateBounds | null {
  return isSame(thresholds, DEFAULT_THRESHOLDS) ? null : boundsOf(thresholds);
}

/** The bounds of most sessions, and whether all sessions have them. */
export function commonBounds(sessions: Iterable<{ bounds: StateBounds | null }>): {
  bounds: StateBounds;
  isShared: boolean;
} {
  const usual = { bounds: boundsOf(DEFAULT_THRESHOLDS), count: 0 };
  const found = [usual];
  for (const { bounds } of sessions) {
    let group = bounds === null ? usual : found.find((other) => isSame(other.bounds, bounds));
    if (group === undefined && bounds !== null) {
      group = { bounds, count: 0 };
      found.push(group);
    }
    if (group !== undefined) group.count += 1;
  }
  const { bounds } = found.reduce((most, group) => (group.count > most.count ? group : most));
  return { bounds, isShared: found.filter(({ count }) => count > 0).length < 2 };
}

/** A line above 1, such as 1.1, means never. */
export function isNever(line: number): boolean {
  return line > 1;
}

/**
 * Fills omitted thresholds with the defaults.
 * @throws RangeError unless each threshold is a positive number and the four bounds ascend
 */
export function resolveThresholds(overrides: Partial<Thresholds>): Thresholds {
  const thresholds: Thresholds = { ...DEFAULT_THRESHOLDS, ...overrides };
  for (const [name, line] of Object.entries(thresholds)) {
    if (!(Number.isFinite(line) && line > 0)) {
      throw new RangeError(`"${name}" must be a share of the limit above 0, as in 0.75`);
    }
  }
  if (findDescent(thresholds) !== null) {
    throw new RangeError('the bounds must ascend: elevated < warning < critical < redlined');
  }
  return thresholds;
}

/** A higher share is a percentage: 90 for 90 %. */
export const HIGHEST_LINE = 2;

/** The first invalid threshold, or null. `reason` follows the field's name. @param changed the new thresholds */
export function findThresholdProblem(
  thresholds: Readonly<Thresholds>,
  changed: readonly ThresholdName[],
): { field: ThresholdName; reason: string } | null {
  for (const field of THRESHOLD_NAMES) {
    const line = thresholds[field];
    if (!(Number.isFinite(line) && line > 0 && line <= HIGHEST_LINE)) {
      return { field, reason: `must be above 0 and at most ${percent(HIGHEST_LINE)} of the limit` };
    }
  }
  const descent = findDescent(thresholds);
  if (descent === null) return null;
  const [lower, upper] = descent;
  return changed.includes(lower) && !changed.includes(upper)
    ? { field: lower, reason: `must be below ${nameOf(upper)} (${percent(thresholds[upper])})` }
    : { field: upper, reason: `must be above ${nameOf(lower)} (${percent(thresholds[lower])})` };
}

/** The first pair of adjacent bounds that do not ascend. */
function findDescent(thresholds: Readonly<Thresholds>): [lower: ThresholdName, upper: ThresholdName] | null {
  for (const [index, lower] of BOUNDS.entries()) {
    const upper = BOUNDS[index + 1];
    if (upper !== undefined && !(thresholds[lower] < thresholds[upper])) return [lower, upper];
  }
  return null;
}

const nameOf = (name: ThresholdName): string => (name === 'redlined' ? 'over limit' : name);
const percent = (line: number): string => `${Math.round(line * 1_000) / 10} %`;
