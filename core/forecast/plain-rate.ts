/**
 * The burn rate of the last turns. The rate measures past growth; count-down.ts makes the forecast. A single huge turn
 * or an idle gap does not change the rate much.
 */

import type { FoldEvidence } from '../api/evidence';
import { median } from './median';

/** Growth by one turn, in the session's lens, and minutes since the previous turn. */
export type Growth = readonly [minutes: number, tokens: number];

interface PlainRate {
  /** Null: too early. Negative or 0: the context is not growing. */
  tokensPerTurn: number | null;
  tokensPerMinute: number | null;
}

const LEAST_TURNS = 3;
const TRIM_FROM = 5;
/** A pause counts as at most this many median pauses. The bound is at least `LEAST_PAUSE_MINUTES`. */
const LONGEST_PAUSE = 4;
const LEAST_PAUSE_MINUTES = 2;

export function plainRate(growth: readonly Growth[]): PlainRate {
  const parts = weighRate(growth);
  if (parts === null) return { tokensPerTurn: null, tokensPerMinute: null };
  const tokensPerTurn = parts.tokens / parts.counted;
  const minutesPerTurn = parts.minutes / parts.turns;
  return { tokensPerTurn, tokensPerMinute: minutesPerTurn > 0 ? tokensPerTurn / minutesPerTurn : null };
}

export function weighRate(growth: readonly Growth[]): FoldEvidence['rate'] {
  const turns = growth.length;
  if (turns < LEAST_TURNS) return null;
  const sizes = growth.map(([, tokens]) => tokens);
  const isTrimmed = turns >= TRIM_FROM;
  const kept = isTrimmed ? sizes.toSorted((a, b) => a - b).slice(1, -1) : sizes;
  const pauses = growth.map(([minutes]) => minutes);
  const longestPause = Math.max(LEAST_PAUSE_MINUTES, LONGEST_PAUSE * median(pauses));
  return {
    turns,
    tokens: sum(kept),
    counted: kept.length,
    leftOut: isTrimmed ? [Math.min(...sizes), Math.max(...sizes)] : null,
    minutes: sum(pauses.map((minutes) => Math.min(minutes, longestPause))),
    longestPause,
    shortened: pauses.filter((minutes) => minutes > longestPause).length,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
