/** Two traces on one sheet, each from its own first turn. Pure. */
import type { SeriesPoint } from '@/core/api/series';
import { toUnit, type ValueUnit } from '../../charts/chart-scale';
import { type Boundary, listBoundaries } from '../../charts/list-marks';
import { type ChartLayout, chartLayout, type PlotFrame, plotFrame } from '../../charts/plot-frame';
import { prepareTurnTicks, prepareValueAxis, type Tick, type ValueAxis } from '../../charts/prepare-axes';
import { prepareTrace } from '../../charts/prepare-trace';
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
  context: number;
}

export interface ComparedBoundary {
  x: number;
  boundary: Boundary;
  /** Where the trace falls from and to, in the unit; null: not known. */
  from: number | null;
  to: number | null;
}

export interface ComparedTrace {
  name: SideName;
  segments: TraceSegment[];
  points: AlignedPoint[];
  boundaries: ComparedBoundary[];
  /** Where the line ends, in the chart's values; null: nothing is known of it. */
  end: { x: number; y: number } | null;
  /** Place of its label, pixels. */
  label: { x: number; y: number } | null;
  /** Length of the side on the x axis. */
  endX: number;
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
/** Labels further apart than this cannot touch, pixels. */
const LABEL_WIDTH = 170;

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
  const aligned = sides.map(({ name, data }) => align(name, data, by, unit));
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
  const labels = placeLabels(aligned, frame, limits);
  const tickCount = Math.max(2, Math.floor((frame.right - frame.left) / (layout.narrow ? 52 : 104)));
  return {
    layout,
    frame,
    unit,
    valueAxis,
    xDomain,
    xTicks: prepareTurnTicks(0, longest, tickCount),
    traces: aligned.map(({ peak: _peak, ...trace }) => ({ ...trace, label: labels.get(trace.name) ?? null })),
    limits,
  };
}

type AlignedTrace = Omit<ComparedTrace, 'label'> & { peak: number };

/** Shift a side to its first turn. Times become minutes. */
function align(name: SideName, data: SideData, by: Alignment, unit: ValueUnit): AlignedTrace {
  const { session, contexts, events, context, figures } = data;
  const all = data.points;
  const first = all[0];
  const startN = first ? first.n - Math.max(1, first.turns) : 0;
  const startT = first?.t ?? 0;
  const points: SeriesPoint[] = all.map((point) => ({
    ...point,
    n: point.n - startN,
    t: (point.t - startT) / MINUTE_MS,
  }));
  const boundaries = listBoundaries(contexts, events, session.lens)
    .filter(({ contextAfter }) => context === null || contextAfter === context + 1)
    .map((boundary) => ({
      ...boundary,
      turn: boundary.turn - startN,
      at: (boundary.at - startT) / MINUTE_MS,
    }));
  const placeOf = (boundary: Boundary) => (by === 'turns' ? boundary.turn + 0.5 : Math.max(0, boundary.at));
  const xOf = (point: SeriesPoint) => (by === 'turns' ? point.n : point.t);
  const last = points.at(-1);
  const endX = Math.max(last ? xOf(last) : 0, ...boundaries.map(placeOf));
  const { segments, peak } = prepareTrace({
    lens: session.lens,
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
    segments,
    peak,
    endX,
    end: segments.at(-1)?.points.at(-1) ?? null,
    boundaries: boundaries.map((boundary) => ({
      x: placeOf(boundary),
      boundary,
      from: inUnit(boundary.from, boundary.limit),
      to: context === null ? inUnit(boundary.to, boundary.limit) : null,
    })),
    points: points.map((point) => ({
      x: xOf(point),
      y: point.untracked ? null : inUnit(point.used, point.limit),
      used: point.untracked ? null : point.used,
      context: point.context,
    })),
  };
}

/** Height of a label above and below its middle, pixels. */
const LABEL_ABOVE = 10;
const LABEL_BELOW = 20;
/** How far a label may move from its line's end, pixels, and in which steps. */
const LABEL_REACH = 240;
const LABEL_STEP = 6;

/** At each line's end, moved up or down until it covers neither another line nor another label. */
function placeLabels(
  aligned: readonly AlignedTrace[],
  frame: PlotFrame,
  limits: ReadonlyArray<{ y: number }>,
): Map<SideName, { x: number; y: number }> {
  const bounds = { min: frame.top + 4, max: frame.bottom - 18 };
  const placed = new Map<SideName, { x: number; y: number }>();
  const longestFirst = aligned.toSorted((a, b) => b.endX - a.endX);
  for (const { name, end } of longestFirst) {
    if (end === null) continue;
    const x = frame.x(end.x);
    const wanted = Math.max(bounds.min, Math.min(frame.y(end.y), bounds.max));
    const taken = [
      ...aligned.flatMap((other) => (other.name === name ? [] : stretchOf(other, frame, x, x + LABEL_WIDTH))),
      ...limits.map(({ y }) => ({ from: frame.y(y) - 2, to: frame.y(y) + 2 })),
      ...[...placed.values()]
        .filter((label) => Math.abs(label.x - x) < LABEL_WIDTH)
        .map(({ y }) => ({ from: y - LABEL_ABOVE, to: y + LABEL_BELOW })),
    ];
    const isFree = (y: number) =>
      taken.every(({ from, to }) => y + LABEL_BELOW <= from || y - LABEL_ABOVE >= to);
    placed.set(name, { x, y: freePlace(wanted, bounds, isFree) });
  }
  return placed;
}

/** The free place nearest to the wanted one; without any, the wanted one. */
function freePlace(
  wanted: number,
  bounds: { min: number; max: number },
  isFree: (y: number) => boolean,
): number {
  for (let away = 0; away <= LABEL_REACH; away += LABEL_STEP) {
    for (const y of [wanted - away, wanted + away]) {
      if (y >= bounds.min && y <= bounds.max && isFree(y)) return y;
    }
  }
  return wanted;
}

/** What a line covers between two places, pixels: nothing where it has ended. */
function stretchOf(
  { segments }: AlignedTrace,
  frame: PlotFrame,
  fromX: number,
  toX: number,
): Array<{ from: number; to: number }> {
  return segments.flatMap(({ points }) =>
    points.flatMap((point, index) => {
      const next = points[index + 1] ?? point;
      if (frame.x(next.x) < fromX || frame.x(point.x) > toX) return [];
      const [one, other] = [frame.y(point.y), frame.y(next.y)];
      return [{ from: Math.min(one, other) - 3, to: Math.max(one, other) + 3 }];
    }),
  );
}

function limitsOf(sides: readonly NamedSide[], unit: ValueUnit, top: number): CompareSheet['limits'] {
  if (unit === 'percent') return [{ y: 100, text: 'limit' }];
  const known = sides.flatMap(({ name, data: { figures } }) =>
    figures.limit === null ? [] : [{ name, limit: figures.limit }],
  );
  return [...new Set(known.map(({ limit }) => limit))]
    .filter((limit) => limit <= top)
    .map((limit) => {
      const names = known.filter((one) => one.limit === limit).map(({ name }) => name.toUpperCase());
      return { y: limit, text: names.length === sides.length ? 'limit' : `limit of ${names.join(' and ')}` };
    });
}

/** The last point at or before x; null: outside the side. */
export function pointAt(
  { points, endX }: Pick<ComparedTrace, 'points' | 'endX'>,
  x: number,
): AlignedPoint | null {
  if (x > endX) return null;
  return points.findLast((point) => point.x <= x) ?? null;
}

/** Places where either side has a point: the steps of the crosshair. */
export function stepsOf(traces: readonly ComparedTrace[]): number[] {
  return [...new Set(traces.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
}
