/**
 * The burn rate: tokens of growth per turn and per minute over the last turns. It says what was, not what
 * will be (count-down.ts does). No model, no clock: a single huge turn and idle gaps must not move it much,
 * and it says nothing when it is too early.
 */

/** Growth of the lens with one turn, and minutes since the turn before. */
export type Growth = readonly [minutes: number, tokens: number];

export interface PlainRate {
  /** Tokens per turn; null: too early. Negative or 0: the context is not growing. */
  tokensPerTurn: number | null;
  /** Tokens per minute of work: long pauses are left out. */
  tokensPerMinute: number | null;
}

/** Fewer growths than this are too early to say. */
const LEAST_TURNS = 3;
/** From so many on, the largest and the smallest growth are left out. */
const TRIM_FROM = 5;
/** A pause counts as so many usual ones at most, and as this many minutes at least. */
const LONGEST_PAUSE = 4;
const LEAST_PAUSE_MINUTES = 2;

/** @param growth newest last, of the current context only. */
export function plainRate(growth: readonly Growth[]): PlainRate {
  if (growth.length < LEAST_TURNS) return { tokensPerTurn: null, tokensPerMinute: null };
  const tokensPerTurn = trimmedMean(growth.map(([, tokens]) => tokens));
  const pauses = growth.map(([minutes]) => minutes);
  const longest = Math.max(LEAST_PAUSE_MINUTES, LONGEST_PAUSE * median(pauses));
  const minutesPerTurn = mean(pauses.map((minutes) => Math.min(minutes, longest)));
  return {
    tokensPerTurn,
    tokensPerMinute: minutesPerTurn > 0 ? tokensPerTurn / minutesPerTurn : null,
  };
}

function trimmedMean(values: readonly number[]): number {
  if (values.length < TRIM_FROM) return mean(values);
  return mean(values.toSorted((a, b) => a - b).slice(1, -1));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
