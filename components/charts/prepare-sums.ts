/** Input and output of each context so far, as two thin traces: what the cumulative lens adds up. */
import { formatTokens } from '@/components/format/format-tokens';
import type { SeriesPoint } from '@/core/api/series';
import { toUnit } from './chart-scale';
import { prepareTrace, type TraceInput } from './prepare-trace';
import type { TraceSegment } from './trace-segments';

export interface SumTrace {
  id: 'input' | 'output';
  segments: TraceSegment[];
  peak: number;
  /** Where it ends, in the chart's unit; null: nothing to name. */
  y: number | null;
  name: string;
  /** `12 k` */
  amount: string;
}

const SUMS = [
  { id: 'input', name: 'input so far', pick: (point: SeriesPoint) => point.cumulativeInput },
  { id: 'output', name: 'output so far', pick: (point: SeriesPoint) => point.cumulativeOutput },
] as const;

/** Each begins at zero with its context; turns that were not tracked are in no sum. */
export function prepareSums(input: Omit<TraceInput, 'lens' | 'liveFromX'>): SumTrace[] {
  return SUMS.map(({ id, name, pick }) => {
    const points = input.points.map((point) => {
      const used = pick(point);
      return { ...point, used, min: used, max: used, estimated: false };
    });
    const { segments, peak } = prepareTrace({ ...input, points, lens: 'cumulative', liveFromX: null });
    const last = points.at(-1);
    const crossed = input.boundaries.some(
      (boundary) => last !== undefined && boundary.contextAfter > last.context,
    );
    const tokens = last === undefined || last.untracked ? null : crossed ? 0 : last.used;
    return {
      id,
      segments,
      peak,
      y: toUnit(tokens, last?.limit ?? input.limit, input.unit),
      name,
      amount: tokens === null ? '' : formatTokens(tokens),
    };
  });
}
