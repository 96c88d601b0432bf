import type { SeriesPoint } from '@/core/api/series';

/** Unit of the x axis: milliseconds since the epoch, or the turn's number. */
export type AxisKind = 'time' | 'turns';

/** Percent of each turn's limit, or tokens if no limit is known. */
export type ValueUnit = 'percent' | 'tokens';

export function pointX(point: SeriesPoint, axis: AxisKind): number {
  return axis === 'time' ? point.t : point.n;
}

/** Convert tokens to the chart's unit. Null: no value, or no limit for a percentage. */
export function toUnit(tokens: number | null, limit: number | null, unit: ValueUnit): number | null {
  if (tokens === null) return null;
  if (unit === 'tokens') return tokens;
  return limit === null || limit <= 0 ? null : (tokens / limit) * 100;
}

export type ChartScale = ReturnType<typeof chartScale>;

/** @param limit tokens, for turns without their own limit */
export function chartScale(axis: AxisKind, unit: ValueUnit, limit: number | null) {
  return {
    axis,
    unit,
    x: (point: SeriesPoint) => pointX(point, axis),
    /** A boundary lies between its turn and the next one. */
    momentX: ({ at, turn }: { at: number; turn: number }) => (axis === 'time' ? at : turn + 0.5),
    y: (tokens: number | null, own: number | null = null) => toUnit(tokens, own ?? limit, unit),
  };
}

/** The time at a turn or the turn at a time, interpolated between two points. */
export function between(points: readonly SeriesPoint[], of: 't' | 'n', value: number, wanted: 't' | 'n') {
  const after = points.find((point) => point[of] >= value);
  const before = points.findLast((point) => point[of] < value);
  if (!before || !after) return (after ?? before)?.[wanted] ?? 0;
  const share = (value - before[of]) / (after[of] - before[of]);
  return before[wanted] + share * (after[wanted] - before[wanted]);
}
