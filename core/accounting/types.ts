/**
 * The words of accounting, as types. One word, one meaning: see docs/accounting.md.
 * All token counts are integers; a sum never leaves ±(2^53−1), so a number is exact.
 */
import type { LensName, ReadingBasis } from '../protocol/items';
import type { SourceName } from '../protocol/messages';

export type { LensName, ReadingBasis, SourceName };

/** Every way to compute pressure from the stored turns; the last two explain other tools' numbers. */
export type Lens = LensName | 'last-turn' | 'cache-inflated';

export const PRESSURE_STATES = [
  'nominal',
  'elevated',
  'warning',
  'critical',
  'redlined',
  'untracked',
  'unknown',
] as const;
export type PressureState = (typeof PRESSURE_STATES)[number];

/** Where a limit comes from, most trusted first. */
export type LimitSource = 'turn' | 'client' | 'session' | 'table' | 'learned' | 'assumed' | 'none';

export type BoundaryKind = 'restart' | 'compaction' | 'clear';

/** Sums of deltas. `calls` counts turns with a call of their own (readings are none). */
export interface Totals {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  calls: number;
}

/** Settings of a project; bounds ascend, lines are independent of them. Shares of the limit. */
export interface Thresholds {
  elevated: number;
  warning: number;
  critical: number;
  redlined: number;
  compressLine: number;
  restartLine: number;
}

/** Flags of a stored turn. */
export interface TurnFlags {
  estimated: boolean;
  /** No cumulative tracking when it was stored (it, or a main turn before it, had no usage). */
  untracked: boolean;
  noUsage: boolean;
  /** Copied from a parent session; in no total. */
  inherited: boolean;
  /** A reported count was negative; it counts as 0. */
  negative: boolean;
  /** The runner's clock was off; the server's time is used. */
  clock: boolean;
  /** A better source owns the session's calls; in no total. */
  superseded: boolean;
  /** The reading was not used: above the window right after a compaction, or of a lesser basis than the trace. */
  readingIgnored: boolean;
  /** A reading on its own, no call. */
  readingOnly: boolean;
}
