'use client';
import { memo } from 'react';
import { CartesianGrid, ComposedChart, Line, ReferenceLine, XAxis, YAxis } from 'recharts';
import type { PlotFrame } from './plot-frame';
import { type Tick, type ValueAxis, valueTickLabel } from './prepare-axes';
import type { ChartLine } from './prepare-lines';
import type { SegmentKind, TraceRow, TraceRows } from './trace-segments';

const LINE_STYLE = {
  limit: { strokeWidth: 1 },
  restart: { strokeWidth: 0.75, strokeDasharray: '1 3' },
  compaction: { strokeWidth: 1.25 },
} as const;

/** Steps after each turn; no curve, no dot, no animation. */
const STEP = {
  dataKey: 'y',
  type: 'stepAfter',
  dot: false,
  activeDot: false,
  isAnimationActive: false,
  legendType: 'none',
  tooltipType: 'none',
  connectNulls: false,
  strokeLinejoin: 'miter',
} as const;

/** Below the ink, in this order. Each line holds its own rows: Recharts works per row and line. */
const LAYERS: ReadonlyArray<{ kind: SegmentKind; style: Record<string, string | number> }> = [
  { kind: 'unknown', style: { stroke: 'var(--ink2)', strokeWidth: 1.25, strokeDasharray: '2 2' } },
  { kind: 'idle', style: { stroke: 'var(--ink3)', strokeWidth: 1.25, strokeDasharray: '1.5 2.5' } },
  { kind: 'estimate', style: { stroke: 'var(--ink)', strokeWidth: 1.75, strokeDasharray: '5 2' } },
];
const EMPTY: TraceRow[] = [];

interface TraceLinesProps {
  frame: PlotFrame;
  xDomain: [number, number];
  xTicks: readonly Tick[];
  valueAxis: ValueAxis;
  lines: readonly ChartLine[];
  rows: TraceRows;
  /** Another lens, laid over the session's own. */
  overlayRows: TraceRows | null;
  /** The limit is assumed: the trace is drawn hollow. */
  hollow: boolean;
}

/** Grid, axes, lines and traces: the part of the barogram that Recharts draws, and not again for the same sheet. */
export const TraceLines = memo(function TraceLines(props: TraceLinesProps) {
  const { frame, xDomain, xTicks, valueAxis, lines, rows, overlayRows, hollow } = props;
  const labels = new Map(xTicks.map((tick) => [tick.x, tick.label]));
  return (
    <ComposedChart
      width={frame.width}
      height={frame.height}
      data={EMPTY}
      margin={{ left: 0, right: frame.width - frame.right, top: frame.top, bottom: 0 }}
      accessibilityLayer={false}
      className="chart"
    >
      <CartesianGrid
        stroke="var(--hair)"
        horizontalValues={valueAxis.ticks}
        verticalValues={xTicks.map((tick) => tick.x)}
      />
      <XAxis
        dataKey="x"
        type="number"
        domain={xDomain}
        allowDataOverflow
        ticks={xTicks.map((tick) => tick.x)}
        interval={0}
        height={frame.height - frame.bottom}
        axisLine={{ stroke: 'var(--ink)' }}
        tickLine={false}
        tickMargin={8}
        tick={{ className: 'chart-tick' }}
        tickFormatter={(x: number) => labels.get(x) ?? ''}
      />
      <YAxis
        type="number"
        domain={valueAxis.domain}
        allowDataOverflow
        ticks={valueAxis.ticks}
        interval={0}
        width={frame.left}
        axisLine={false}
        tickLine={false}
        tickMargin={6}
        tick={{ className: 'chart-tick' }}
        tickFormatter={(value: number) => valueTickLabel(value, valueAxis.unit)}
      />
      {lines.map((line) => (
        <ReferenceLine key={line.id} y={line.y} stroke="var(--ink)" {...LINE_STYLE[line.id]} />
      ))}
      {overlayRows?.ink ? (
        <Line {...STEP} data={overlayRows.ink} stroke="var(--ink3)" strokeWidth={1} />
      ) : null}
      {LAYERS.map((layer) => {
        const data = rows[layer.kind];
        return data ? <Line key={layer.kind} {...STEP} {...layer.style} data={data} /> : null;
      })}
      {rows.ink ? (
        <Line {...STEP} data={rows.ink} stroke="var(--ink)" strokeWidth={hollow ? 3.5 : 1.75} />
      ) : null}
      {rows.ink && hollow ? <Line {...STEP} data={rows.ink} stroke="var(--paper)" strokeWidth={1.5} /> : null}
      {rows.live ? <Line {...STEP} data={rows.live} stroke="var(--mark)" strokeWidth={3} /> : null}
    </ComposedChart>
  );
});
