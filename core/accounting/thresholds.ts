import type { StateBounds } from '../api/session';
import type { Thresholds } from './types';

/** Lines of a project that set none of its own. Shares of the limit. */
export const DEFAULT_THRESHOLDS: Readonly<Thresholds> = {
  elevated: 0.5,
  warning: 0.75,
  critical: 0.85,
  redlined: 1,
  compressLine: 0.8,
  restartLine: 0.9,
};

const BOUNDS = [
  'elevated',
  'warning',
  'critical',
  'redlined',
] as const satisfies readonly (keyof StateBounds)[];

const isSame = (a: Readonly<StateBounds>, b: Readonly<StateBounds>): boolean =>
  BOUNDS.every((name) => a[name] === b[name]);

function boundsOf({ elevated, warning, critical, redlined }: Readonly<StateBounds>): StateBounds {
  return { elevated, warning, critical, redlined };
}

/** Where the states begin; null: where they usually do. */
export function ownBounds(thresholds: Readonly<Thresholds>): StateBounds | null {
  return isSame(thresholds, DEFAULT_THRESHOLDS) ? null : boundsOf(thresholds);
}

/** The bounds all of these sessions share; null: some differ, so that no axis of theirs can name them. */
export function sharedBounds(
  sessions: Iterable<{ bounds: StateBounds | null }>,
): Readonly<StateBounds> | null {
  let shared: Readonly<StateBounds> | null = null;
  for (const { bounds } of sessions) {
    const own = bounds ?? DEFAULT_THRESHOLDS;
    if (shared !== null && shared !== own && !isSame(shared, own)) return null;
    shared = own;
  }
  return boundsOf(shared ?? DEFAULT_THRESHOLDS);
}

/** A line above 1 is never reached on purpose: 1.1 means never. */
export function isNever(line: number): boolean {
  return line > 1;
}

/**
 * Fills what a project left out with the defaults.
 * @throws RangeError when a line is no positive number or the four bounds do not ascend.
 */
export function resolveThresholds(overrides: Partial<Thresholds>): Thresholds {
  const thresholds: Thresholds = { ...DEFAULT_THRESHOLDS, ...overrides };
  for (const [name, line] of Object.entries(thresholds)) {
    if (!(Number.isFinite(line) && line > 0)) {
      throw new RangeError(`"${name}" must be a share of the limit above 0, as in 0.75`);
    }
  }
  const { elevated, warning, critical, redlined } = thresholds;
  if (!(elevated < warning && warning < critical && critical < redlined)) {
    throw new RangeError('the bounds must ascend: elevated < warning < critical < redlined');
  }
  return thresholds;
}
