/** Two traces on one sheet, each starting at its own first turn. Pure. */
import type { Figures } from '@/core/api/figures';
import { chartScale, type ValueUnit } from '../../charts/chart-scale';
import { solveLabels } from '../../charts/labels';
import { listBoundaries } from '../../charts/list-marks';
import { chartLayout, plotFrame } from '../../charts/plot-frame';
import { prepareTurnTicks, prepareValueAxis } from '../../charts/prepare-axes';
import { prepareTrace } from '../../charts/prepare-trace';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact, formatTokenChange, formatTokens } from '../../format/format-tokens';
import type { Alignment } from '../../sessions/compare-url';
import type { SideData, SideName } from './side-data';

export interface NamedSide {
  name: SideName;
  data: SideData;
}

export type CompareSheet = ReturnType<typeof prepareCompare>;
export type ComparedTrace = CompareSheet['traces'][number];

const TOP = 16;
const MINUTE_MS = 60_000;

/** Percent only if all sides have a limit. */
export function sharedUnit(sides: readonly NamedSide[], wanted: ValueUnit): ValueUnit {
  return sides.every(({ data }) => (data.figures.limit ?? 0) > 0) ? wanted : 'tokens';
}

export function prepareCompare(
  sides: readonly NamedSide[],
  { by, unit: wanted, width }: { by: Alignment; unit: ValueUnit; width: number },
) {
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
  const tickCount = Math.max(2, Math.floor((frame.right - frame.left) / (layout.narrow ? 52 : 104)));
  // A label has two lines of text.
  const wishes = aligned.flatMap(({ name, end }) =>
    end === undefined ? [] : [{ id: name, y: frame.y(end.y), below: 14 }],
  );
  const labels = solveLabels(wishes, { gap: 16, min: frame.top + 4, max: frame.bottom - 4 });
  return {
    layout,
    frame,
    unit,
    valueAxis,
    xDomain,
    xTicks: prepareTurnTicks(0, longest, tickCount),
    traces: aligned.map((trace) => {
      const y = labels.get(trace.name);
      /** Position of the side's label, pixels; null: the side has no values. */
      const label = trace.end === undefined || y === undefined ? null : { x: frame.x(trace.end.x), y };
      return { ...trace, label };
    }),
    limits: limitsOf(sides, unit, valueAxis.domain[1]),
  };
}

/** Move the first turn of a side to the start of the axis. Times become minutes. */
function align({ name, data }: NamedSide, by: Alignment, unit: ValueUnit) {
  const { session, contexts, events, context, figures } = data;
  const { lens } = session;
  const scale = chartScale(by === 'turns' ? 'turns' : 'time', unit, figures.limit);
  const [first] = data.points;
  const startN = first ? first.n - Math.max(1, first.turns) : 0;
  const startT = first?.t ?? 0;
  const points = data.points.map((point) => ({
    ...point,
    n: point.n - startN,
    t: (point.t - startT) / MINUTE_MS,
  }));
  const boundaries = listBoundaries(contexts, events, lens)
    .filter(({ contextAfter }) => context === null || contextAfter === context + 1)
    .map((boundary) => ({
      ...boundary,
      turn: boundary.turn - startN,
      at: Math.max(0, (boundary.at - startT) / MINUTE_MS),
    }));
  const endX = Math.max(0, ...points.slice(-1).map(scale.x), ...boundaries.map(scale.momentX));
  const { segments, peak } = prepareTrace({
    lens,
    points,
    // Points after the end of a context belong to the next one.
    boundaries: context === null ? boundaries : [],
    scale,
    end: { x: endX, hold: 'solid' },
  });
  return {
    name,
    title: session.title ?? session.key,
    segments,
    /** Largest value, in the unit. */
    peak,
    /** Length of the side on the x axis: turns, or minutes, since its first turn. */
    endX,
    /** Last point of the line, in the chart's unit; undefined: the line has no values. */
    end: segments.at(-1)?.points.at(-1),
    /** `from`, `to`: value before and after the boundary, in the unit; null: unknown. */
    boundaries: boundaries.map((boundary) => ({
      x: scale.momentX(boundary),
      boundary,
      from: scale.y(boundary.from, boundary.limit),
      to: context === null ? scale.y(boundary.to, boundary.limit) : null,
    })),
    /** `y` in the unit, `used` in tokens; null: unknown. */
    points: points.map((point) => {
      const used = point.untracked ? null : point.used;
      return { x: scale.x(point), y: scale.y(used, point.limit), used };
    }),
  };
}

/** The shared limit, or the limit of each side, in the unit. */
function limitsOf(sides: readonly NamedSide[], unit: ValueUnit, top: number) {
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
export function pointAt({ points, endX }: ComparedTrace, x: number) {
  return x > endX ? undefined : points.findLast((point) => point.x <= x);
}

export function usedAt(trace: ComparedTrace, x: number): number | 'ended' | 'unknown' {
  return x > trace.endX ? 'ended' : (pointAt(trace, x)?.used ?? 'unknown');
}

/** Positions where at least one side has a point: the steps of the crosshair. */
export function stepsOf(traces: readonly ComparedTrace[]): number[] {
  return [...new Set(traces.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
}

/** A value as text, and as a number for the difference; null: unknown. */
type Figure = readonly [text: string, value: number | null];

const UNKNOWN: Figure = ['unknown', null];

/** @param b null: the second side is not chosen yet */
export function prepareFigures(a: Figures, b: Figures | null) {
  const row = (name: string, read: (f: Figures) => Figure, difference: (delta: number) => string) => {
    const [left, from] = read(a);
    const [right, to] = b === null ? ['', null] : read(b);
    const delta = from === null || to === null ? null : to - from;
    const most = Math.max(from ?? 0, to ?? 0);
    const share = (value: number | null) => (value === null || most <= 0 ? null : Math.max(0, value) / most);
    return {
      name,
      a: left,
      b: right,
      /** B minus A; null: unknown. */
      difference: delta === null ? null : delta === 0 ? 'equal' : difference(delta),
      /** Each value as a share of the larger value, 0 to 1; null: unknown. */
      shares: { a: share(from), b: share(to) },
    };
  };
  const exactly = (name: string, read: (f: Figures) => number) =>
    row(name, (f) => exact(read(f), f.complete), formatTokenChange);
  return [
    row('turns', (f) => exact(f.turns, f.complete), signed),
    row('from first to last turn', duration, (delta) => sign(delta) + formatDuration(Math.abs(delta))),
    row('peak', (f) => (f.peak === null ? UNKNOWN : exact(f.peak, f.complete)), formatTokenChange),
    row('peak, share of the limit', (f) => share(f.peakPressure), points),
    row('limit', (f) => (f.limit === null ? UNKNOWN : exact(f.limit)), formatTokenChange),
    ...a.crossings.flatMap(({ share: part }) => [
      row(`to ${formatPercent(part)}, turns`, (f) => crossing(f, part, 'turns'), signed),
      row(
        `to ${formatPercent(part)}, time`,
        (f) => crossing(f, part, 'minutes'),
        (delta) => sign(delta) + formatDuration(Math.abs(delta) * 60_000),
      ),
    ]),
    row('new tokens per turn', (f) => tokens(f.newTokensPerTurn), formatTokenChange),
    row('cache-read share', (f) => share(f.cacheReadShare), points),
    exactly('input', (f) => f.tokens.input),
    exactly('output', (f) => f.tokens.output),
    exactly('cache reads', (f) => f.tokens.cacheRead),
    exactly('cache writes', (f) => f.tokens.cacheCreation),
    row('compactions', (f) => boundary(f, 'compaction', f.compactions), signed),
    row('restarts', (f) => boundary(f, 'restart', f.restarts), signed),
    row('clears', (f) => boundary(f, 'clear', f.clears), signed),
    row('contexts', (f) => exact(f.contexts), signed),
  ];
}

const sign = (delta: number) => (delta < 0 ? '\u2212' : '+');
const signed = (delta: number) => (delta > 0 ? `+${formatExact(delta)}` : formatExact(delta));

/** Percentage points, one decimal. */
function points(delta: number): string {
  const size = Math.abs(delta * 100);
  const text = size < 0.05 ? '<0.1' : size.toFixed(1);
  return `${sign(delta)}${text}\u00a0points`;
}

function exact(count: number, complete = true): Figure {
  return [`${complete ? '' : '≥'}${formatExact(count)}`, count];
}

function tokens(count: number | null): Figure {
  return count === null ? UNKNOWN : [formatTokens(count, { fine: true }), count];
}

function share(ratio: number | null): Figure {
  return ratio === null ? UNKNOWN : [formatPercent(ratio), ratio];
}

function duration({ firstAt, lastAt }: Figures): Figure {
  if (firstAt === null || lastAt === null) return UNKNOWN;
  const span = Date.parse(lastAt) - Date.parse(firstAt);
  return [formatDuration(span), span];
}

function crossing({ crossings, limit }: Figures, wanted: number, in_: 'turns' | 'minutes'): Figure {
  const found = crossings.find((one) => one.share === wanted);
  const value = found?.[in_] ?? null;
  if (value === null) return limit === null ? UNKNOWN : ['never', null];
  const text =
    in_ === 'turns' ? formatCount(value, 'turn') : value === 0 ? '0\u00a0s' : formatDuration(value * 60_000);
  return [`${found?.rough ? '≈' : ''}${text}`, value];
}

/** Session: number of boundaries of this kind. Context: whether a boundary of this kind ended the context. */
function boundary(figures: Figures, kind: Figures['endedBy'], count: number): Figure {
  if (figures.context === null) return exact(count);
  return [figures.endedBy === kind ? 'at its end' : 'none', null];
}
