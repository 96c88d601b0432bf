/** The terms of docs/accounting.md as types. Token counts and sums are integers within ±(2^53−1), so they are exact. */
import type { LensName, ReadingBasis } from '../protocol/items';
import type { SourceName } from '../protocol/messages';

export type { LensName, ReadingBasis, SourceName };

/** Every way to compute pressure from the stored turns. The last two explain the numbers of other tools. */
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
/** How full a context is, or why its size is unknown. */
export type PressureState = (typeof PRESSURE_STATES)[number];

/** Sources of a limit: statements, then estimates. Stored turns have the index, so only append. */
export const LIMIT_SOURCES = [
  'turn',
  'client',
  'status_line',
  'api_error',
  'session',
  'setting',
  'table',
  'learned',
  'assumed',
  'none',
] as const;
export type LimitSource = (typeof LIMIT_SOURCES)[number];

/** What ended a context. */
export type BoundaryKind = 'restart' | 'compaction' | 'clear';

/** Sums of deltas. `calls` counts turns, not readings. */
export interface Totals {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  calls: number;
}

/** Settings of a project, as shares of the limit. The four bounds ascend; the two lines are independent of them. */
export interface Thresholds {
  /** Lower bound of `elevated`, a share. Default 0.5. */
  elevated: number;
  /** Lower bound of `warning`, a share. Default 0.75. */
  warning: number;
  /** Lower bound of `critical`, a share. Default 0.85. */
  critical: number;
  /** Lower bound of `redlined`, a share. Default 1. */
  redlined: number;
  /** Line of automatic compression, a share. Default 0.8. */
  compressLine: number;
  /** Line of restarts, a share. Default 0.9. */
  restartLine: number;
}
export type StateBounds = Pick<Thresholds, 'elevated' | 'warning' | 'critical' | 'redlined'>;

export interface TurnFlags {
  estimated: boolean;
  /** Stored while cumulative tracking was off. */
  untracked: boolean;
  noUsage: boolean;
  /** Copied from a parent session; excluded from all totals. */
  inherited: boolean;
  negative: boolean;
  /** The runner's clock was wrong, so the server's time is used. */
  clock: boolean;
  /** The reading was ignored: it cannot be the context's size, or a better basis is known. */
  readingIgnored: boolean;
  readingOnly: boolean;
}
