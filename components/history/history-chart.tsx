'use client';
import { CartesianGrid, ComposedChart, Line, ReferenceLine, XAxis, YAxis } from 'recharts';
import type { PlotFrame } from '../charts/plot-frame';
import type { Tick } from '../charts/prepare-axes';
import type { StepRow } from './prepare-history';

interface HistoryChartProps {
  frame: PlotFrame;
  xDomain: [number, number];
  xTicks: readonly Tick[];
  /** The times stand under the last panel alone. */
  showsTimes?: boolean;
  yDomain: [number, number];
  yTicks: readonly number[];
  yGrid?: readonly number[];
  formatY: (value: number) => string;
  /** A value with a line of its own: the limit, or the base of what goes up and down. */
  line?: number;
  rows?: readonly StepRow[];
  /** The slot that is not over: dashed. */
  soFar?: readonly StepRow[];
  strokeWidth?: number;
  children?: React.ReactNode;
}

const EMPTY: StepRow[] = [];
const TRACE = {
  dataKey: 'y',
  type: 'stepAfter',
  dot: false,
  activeDot: false,
  isAnimationActive: false,
  legendType: 'none',
  tooltipType: 'none',
  connectNulls: false,
  strokeLinejoin: 'miter',
  stroke: 'var(--ink)',
} as const;
/** Without ticks there would be no hairlines at them either. */
const NO_WORDS = () => <g />;

/** Grid, axes and trace of one panel: hairlines on paper, steps in ink. */
export function HistoryChart(props: HistoryChartProps) {
  const { frame, xDomain, xTicks, yDomain, yTicks, rows, soFar = EMPTY, showsTimes = false } = props;
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
        horizontalValues={[...(props.yGrid ?? yTicks)]}
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
        axisLine={{ stroke: showsTimes ? 'var(--ink)' : 'var(--hair2)' }}
        tickLine={false}
        tickMargin={8}
        tick={showsTimes ? { className: 'chart-tick' } : NO_WORDS}
        tickFormatter={(x: number) => labels.get(x) ?? ''}
      />
      <YAxis
        type="number"
        domain={yDomain}
        allowDataOverflow
        ticks={[...yTicks]}
        interval={0}
        width={frame.left}
        axisLine={false}
        tickLine={false}
        tickMargin={6}
        tick={{ className: 'chart-tick' }}
        tickFormatter={props.formatY}
      />
      {props.line === undefined ? null : <ReferenceLine y={props.line} stroke="var(--ink)" />}
      {props.children}
      {rows ? <Line {...TRACE} data={[...rows]} strokeWidth={props.strokeWidth ?? 1.75} /> : null}
      {soFar.length === 0 ? null : (
        <Line {...TRACE} data={[...soFar]} stroke="var(--ink2)" strokeWidth={1.25} strokeDasharray="2 2" />
      )}
    </ComposedChart>
  );
}
