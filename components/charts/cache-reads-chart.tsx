'use client';
import { CartesianGrid, ComposedChart, XAxis, YAxis } from 'recharts';
import type { PlotFrame } from './plot-frame';
import { roundTokens } from './prepare-axes';
import type { PreparedCacheReads } from './prepare-cache-reads';
import { px } from './trace-path';

interface CacheReadsChartProps {
  frame: PlotFrame;
  xDomain: [number, number];
  reads: PreparedCacheReads;
}

/** One stick per turn, on the trace's own x axis. A single path: three hundred sticks cost one element. */
export function CacheReadsChart({ frame, xDomain, reads }: CacheReadsChartProps) {
  const ticks = reads.tick > 0 ? [0, reads.tick] : [0];
  const path = reads.sticks
    .filter((stick) => stick.x >= xDomain[0] && stick.x <= xDomain[1])
    .map((stick) => `M${px(frame.x(stick.x))} ${frame.bottom}V${px(frame.y(stick.y))}`)
    .join('');
  return (
    <div className="relative" aria-hidden="true">
      <ComposedChart
        width={frame.width}
        height={frame.height}
        data={EMPTY}
        margin={{ left: 0, right: frame.width - frame.right, top: frame.top, bottom: 0 }}
        accessibilityLayer={false}
        className="chart"
      >
        <CartesianGrid stroke="var(--hair)" vertical={false} horizontalValues={ticks} />
        <XAxis
          dataKey="x"
          type="number"
          domain={xDomain}
          allowDataOverflow
          ticks={EMPTY}
          height={frame.height - frame.bottom}
          axisLine={{ stroke: 'var(--ink)' }}
          tickLine={false}
        />
        <YAxis
          type="number"
          domain={reads.domain}
          allowDataOverflow
          ticks={ticks}
          interval={0}
          width={frame.left}
          axisLine={false}
          tickLine={false}
          tickMargin={6}
          tick={{ className: 'chart-tick' }}
          tickFormatter={(value: number) => (value === 0 ? '0' : roundTokens(value))}
        />
        <path d={path} stroke="var(--ink2)" strokeOpacity={0.6} strokeWidth={1} fill="none" />
      </ComposedChart>
    </div>
  );
}

/** The sticks are one path: Recharts draws the sheet they stand on. */
const EMPTY: never[] = [];
