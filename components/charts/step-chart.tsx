'use client';
import { CartesianGrid, ComposedChart, XAxis, YAxis } from 'recharts';
import type { PlotFrame } from './plot-frame';
import type { Tick } from './prepare-axes';

interface StepChartProps {
  frame: PlotFrame;
  xDomain: [number, number];
  xTicks: readonly Tick[];
  showsTimes?: boolean;
  yDomain: [number, number];
  yTicks: readonly number[];
  formatY: (value: number) => string;
  children: React.ReactNode;
}

/** A step line without dots or animation. Recharts is slow, so each line gets only its own rows. */
export const STEP = {
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

const NO_ROWS: never[] = [];
/** An empty tick label; the hairline of the tick is still drawn. */
const NO_WORDS = () => <g />;

export function StepChart(props: StepChartProps) {
  const { frame, xDomain, xTicks, yDomain, yTicks, formatY, showsTimes = true, children } = props;
  const labels = new Map(xTicks.map((tick) => [tick.x, tick.label]));
  const places = xTicks.map((tick) => tick.x);
  return (
    <ComposedChart
      width={frame.width}
      height={frame.height}
      data={NO_ROWS}
      margin={{ left: 0, right: frame.width - frame.right, top: frame.top, bottom: 0 }}
      accessibilityLayer={false}
      className="chart"
    >
      <CartesianGrid stroke="var(--hair)" horizontalValues={[...yTicks]} verticalValues={places} />
      <XAxis
        dataKey="x"
        type="number"
        domain={xDomain}
        allowDataOverflow
        ticks={places}
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
        tickFormatter={formatY}
      />
      {children}
    </ComposedChart>
  );
}
