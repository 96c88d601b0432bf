/** What the session's charts share: which axis, which unit, and how a turn maps onto them. */
import type { SeriesPoint } from '@/core/api/series';

/** Over time (milliseconds since the epoch) or over turns (the turn's number). */
export type AxisKind = 'time' | 'turns';

/** Percent of the limit in force at each turn, or plain tokens where no limit is known. */
export type ValueUnit = 'percent' | 'tokens';

export function pointX(point: SeriesPoint, axis: AxisKind): number {
  return axis === 'time' ? point.t : point.n;
}

export function momentX(moment: { at: number; turn: number }, axis: AxisKind): number {
  return axis === 'time' ? moment.at : moment.turn + 0.5;
}

/** Tokens to the chart's unit; null without a value, or without a usable limit where percent is asked for. */
export function toUnit(tokens: number | null, limit: number | null, unit: ValueUnit): number | null {
  if (tokens === null) return null;
  if (unit === 'tokens') return tokens;
  return limit === null || limit <= 0 ? null : (tokens / limit) * 100;
}
