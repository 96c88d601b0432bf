/** Two traces on one sheet, each from its own first turn. Pure. */
import type { SeriesPoint } from '@/core/api/series';
import { toUnit, type ValueUnit } from '../../charts/chart-scale';
import { type Boundary, listBoundaries } from '../../charts/list-marks';
import { type ChartLayout, chartLayout, type PlotFrame, plotFrame } from '../../charts/plot-frame';
import { prepareTurnTicks, prepareValueAxis, type Tick, type ValueAxis } from '../../charts/prepare-axes';
import { prepareTrace } from '../../charts/prepare-trace';
import { solveLabels } from '../../charts/solve-labels';
import type { TraceSegment } from '../../charts/trace-segments';
import type { Alignment } from '../../sessions/compare-url';
import type { SideData, SideName } from './side-data';

export interface NamedSide {
  name: SideName;
  data: SideData;
}

export interface AlignedPoint {
  /** Turns, or minutes, since the first turn. */
  x: number;
  /** In the unit; null: not known. */
  y: number | null;
  used: number | null;
}

export interface ComparedBoundary {
  x: number;
  boundary: Boundary;
  /** Where the trace falls from and to, in the unit; null: not known. */
  from: number | null;
  to: number | null;
}

interface AlignedTrace {
  name: SideName;
  /** Name of the session. */
  title: string;
  segments: TraceSegment[];
  points: AlignedPoint[];
  boundaries: ComparedBoundary[];
  /** Largest value, in the unit. */
  peak: number;
  /** Where the line ends, in the chart's values; undefined: nothing is known of it. */
  end: { x: number; y: number } | undefined;
  /** Length of the side on the x axis. */
  endX: number;
}

export interface ComparedTrace extends AlignedTrace {
  /** Place of its label, pixels. */
  label: { x: number; y: number } | null;
}

export interface CompareSheet {
  layout: ChartLayout;
  frame: PlotFrame;
  unit: ValueUnit;
  valueAxis: ValueAxis;
  xDomain: [number, number];
  xTicks: Tick[];
  traces: ComparedTrace[];
  /** In the unit: the limit they share, or each one's. */
  limits: Array<{ y: number; text: string }>;
}

const TOP = 16;
const MINUTE_MS = 60_000;

/** Percent only where both sides have a limit. */
export function sharedUnit(sides: readonly NamedSide[], wanted: ValueUnit): ValueUnit {
  return sides.every(({ data }) => (data.figures.limit ?? 0) > 0) ? wanted : 'tokens';
}

export function prepareCompare(
  sides: readonly NamedSide[],
  { by, unit: wanted, width }: { by: Alignment; unit: ValueUnit; width: number },
): CompareSheet {
  const unit = sharedUnit(sides, wanted);
  const layout = chartLayout(width);
  const aligned = sides.map((side) => align(side, by, unit));
  const longest = Math.max(1, ...aligned.map(({ endX }) => endX));
  const xDomain: [number, number] = [0, longest * 1.01];
  const valueAxis = prepareValueAxis(Math.max(0, ...aligned.map(({ peak }) => peak)), unit);
  const frame = plotFrame({
    width,
    margin: { left: layout.left, right: layout.right, top: TOP, bottom: 24 },
    plotHeight: layout.plotHeight,
    xDomain,
    yDomain: valueAxis.domain,
  });
  const limits = limitsOf(sides, unit, valueAxis.domain[1]);
  const labels = placeLabels(aligned, frame);
  const tickCount = Math.max(2, Math.floor((frame.right - frame.left) / (layout.narrow ? 52 : 104)));
  const xTicks = prepareTurnTicks(0, longest, tickCount);
  const traces = aligned.map((trace) => {
    const y = labels.get(trace.name);
    const label = trace.end === undefined || y === undefined ? null : { x: frame.x(trace.end.x), y };
    return { ...trace, label };
  });
  return { layout, frame, unit, valueAxis, xDomain, xTicks, traces, limits };
}

/** Shift a side to its first turn. Times become minutes. */
function align({ name, data }: NamedSide, by: Alignment, unit: ValueUnit): AlignedTrace {
  const { session, contexts, events, context, figures } = data;
  const { lens } = session;
  const [first] = data.points;
  const startN = first ? first.n - Math.max(1, first.turns) : 0;
  const startT = first?.t ?? 0;
  const points: SeriesPoint[] = data.points.map((point) => ({
    ...point,
    n: point.n - startN,
    t: (point.t - startT) / MINUTE_MS,
  }));
  const boundaries = listBoundaries(contexts, events, lens)
    .filter(({ contextAfter }) => context === null || contextAfter === context + 1)
    .map((boundary) => ({
      ...boundary,
      turn: boundary.turn - startN,
      at: (boundary.at - startT) / MINUTE_MS,
    }));
  const placeOf = (boundary: Boundary) => (by === 'turns' ? boundary.turn + 0.5 : Math.max(0, boundary.at));
  const xOf = (point: SeriesPoint) => (by === 'turns' ? point.n : point.t);
  const endX = Math.max(0, ...points.slice(-1).map(xOf), ...boundaries.map(placeOf));
  const { segments, peak } = prepareTrace({
    lens,
    points,
    // What follows the end of a context is another's.
    boundaries: context === null ? boundaries : [],
    gaps: [],
    axis: by === 'turns' ? 'turns' : 'time',
    unit,
    limit: figures.limit,
    end: { x: endX, hold: 'solid' },
    liveFromX: null,
  });
  const inUnit = (tokens: number | null, limit: number | null) =>
    toUnit(tokens, limit ?? figures.limit, unit);
  return {
    name,
    title: session.title ?? session.key,
    segments,
    peak,
    endX,
    end: segments.at(-1)?.points.at(-1),
    boundaries: boundaries.map((boundary) => ({
      x: placeOf(boundary),
      boundary,
      from: inUnit(boundary.from, boundary.limit),
      to: context === null ? inUnit(boundary.to, boundary.limit) : null,
    })),
    points: points.map((point) => {
      const used = point.untracked ? null : point.used;
      return { x: xOf(point), y: inUnit(used, point.limit), used };
    }),
  };
}

/** At each line's end, apart from each other: a label has two lines of text. */
function placeLabels(aligned: readonly AlignedTrace[], frame: PlotFrame) {
  const wishes = aligned.flatMap(({ name, end }) =>
    end === undefined ? [] : [{ id: name, y: frame.y(end.y), below: 14 }],
  );
  return solveLabels(wishes, { gap: 16, min: frame.top + 4, max: frame.bottom - 4 });
}

function limitsOf(sides: readonly NamedSide[], unit: ValueUnit, top: number): CompareSheet['limits'] {
  if (unit === 'percent') return [{ y: 100, text: 'limit' }];
  const limits = new Set(sides.map(({ data }) => data.figures.limit ?? Number.POSITIVE_INFINITY));
  return [...limits]
    .filter((limit) => limit <= top)
    .map((limit) => {
      const names = sides.filter(({ data }) => data.figures.limit === limit).map(({ name }) => name);
      const isShared = names.length === sides.length;
      return { y: limit, text: isShared ? 'limit' : `limit of ${names.join().toUpperCase()}` };
    });
}

/** The last point at or before x; undefined: outside the side. */
export function pointAt({ points, endX }: ComparedTrace, x: number): AlignedPoint | undefined {
  return x > endX ? undefined : points.findLast((point) => point.x <= x);
}

/** Tokens in use at x, or why there are none. */
export function usedAt(trace: ComparedTrace, x: number): number | 'ended' | 'unknown' {
  return x > trace.endX ? 'ended' : (pointAt(trace, x)?.used ?? 'unknown');
}

/** Places where either side has a point: the steps of the crosshair. */
export function stepsOf(traces: readonly ComparedTrace[]): number[] {
  return [...new Set(traces.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
}
