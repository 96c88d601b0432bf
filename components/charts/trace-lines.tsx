'use client';
import { memo } from 'react';
import { Line, ReferenceLine } from 'recharts';
import type { PlotFrame } from './plot-frame';
import { type Tick, type ValueAxis, valueTickLabel } from './prepare-axes';
import type { ChartLine } from './prepare-lines';
import { STEP, StepChart } from './step-chart';
import type { SegmentKind, TraceRows } from './trace-segments';

const LINE_STYLE = {
  limit: { strokeWidth: 1 },
  restart: { strokeWidth: 0.75, strokeDasharray: '1 3' },
  compaction: { strokeWidth: 1.25 },
} as const;

/** Lines drawn below the trace, in this order. */
const LAYERS: ReadonlyArray<{ kind: SegmentKind; style: Record<string, string | number> }> = [
  { kind: 'unknown', style: { stroke: 'var(--ink2)', strokeWidth: 1.25, strokeDasharray: '2 2' } },
  { kind: 'idle', style: { stroke: 'var(--ink3)', strokeWidth: 1.25, strokeDasharray: '1.5 2.5' } },
  { kind: 'estimate', style: { stroke: 'var(--ink)', strokeWidth: 1.75, strokeDasharray: '5 2' } },
];

interface TraceLinesProps {
  frame: PlotFrame;
  xDomain: [number, number];
  xTicks: readonly Tick[];
  valueAxis: ValueAxis;
  lines?: readonly ChartLine[];
  rows?: TraceRows;
  overlayRows?: TraceRows | null;
  /** The limit is assumed: the trace is drawn hollow. */
  hollow?: boolean;
  /** The steps are close together: a thin stroke keeps them distinct. */
  crowded?: boolean;
}

/** Grid, axes, lines and traces: the part of the barogram that Recharts draws. Memoised per sheet. */
export const TraceLines = memo(function TraceLines(props: TraceLinesProps) {
  const { frame, xDomain, xTicks, valueAxis, lines = [], rows = {}, overlayRows, hollow, crowded } = props;
  return (
    <StepChart
      frame={frame}
      xDomain={xDomain}
      xTicks={xTicks}
      yDomain={valueAxis.domain}
      yTicks={valueAxis.ticks}
      formatY={(value) => valueTickLabel(value, valueAxis.unit)}
    >
      {lines.flatMap(({ id, segments }) =>
        segments.map((segment) => (
          <ReferenceLine
            key={`${id} ${segment[0].x} ${segment[0].y}`}
            segment={segment}
            stroke="var(--ink)"
            {...LINE_STYLE[id]}
          />
        )),
      )}
      {overlayRows?.ink ? (
        <Line {...STEP} data={overlayRows.ink} stroke="var(--ink3)" strokeWidth={1} />
      ) : null}
      {LAYERS.map((layer) => {
        const data = rows[layer.kind];
        return data ? <Line key={layer.kind} {...STEP} {...layer.style} data={data} /> : null;
      })}
      {rows.ink ? (
        <Line {...STEP} data={rows.ink} strokeWidth={hollow ? 3.5 : crowded ? 0.75 : 1.75} />
      ) : null}
      {rows.ink && hollow ? <Line {...STEP} data={rows.ink} stroke="var(--paper)" strokeWidth={1.5} /> : null}
      {rows.live ? <Line {...STEP} data={rows.live} stroke="var(--mark)" strokeWidth={3} /> : null}
    </StepChart>
  );
});
