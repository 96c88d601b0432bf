'use client';
import { memo } from 'react';
import { Line, ReferenceLine } from 'recharts';
import { stateOf } from '@/core/accounting/state';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { HistoryPoint } from '@/core/api/history';
import { gutterBands } from '../../charts/gutter-bands';
import { AXIS_WORDS_GAP } from '../../charts/plot-frame';
import { roundTokens, valueTickLabel } from '../../charts/prepare-axes';
import { STEP, StepChart } from '../../charts/step-chart';
import { hatchPath } from '../../charts/torn-edge';
import { px } from '../../charts/trace-path';
import { formatPercent } from '../../format/format-percent';
import { barsPath, type HistorySheet, type StepRow, traceOf } from './prepare-history';

const percentTick = (value: number) => valueTickLabel(value, 'percent');
const tokensTick = (value: number) => (value === 0 ? '0' : roundTokens(Math.abs(value)));

type Bars = readonly [
  name: string,
  ends: (point: HistoryPoint) => readonly [from: number, to: number],
  fill: string,
  opacity: number,
];
const TOKENS: readonly Bars[] = [
  ['input', ({ input }) => [0, input], 'var(--ink)', 0.75],
  ['writes', ({ input, cacheCreation }) => [input, input + cacheCreation], 'var(--ink3)', 0.55],
  ['output', ({ output }) => [0, -output], 'var(--ink)', 0.75],
];
const READS: readonly Bars[] = [['reads', ({ cacheRead }) => [0, cacheRead], 'var(--ink2)', 0.6]];

/** All panels of a range. Memoised, so that the crosshair does not draw them again. */
export const HistoryPanels = memo(function HistoryPanels({ sheet }: { sheet: HistorySheet }) {
  const { xDomain, xTicks, panels } = sheet;
  const shared = { xDomain, xTicks, showsTimes: false };
  return (
    <div aria-hidden="true">
      <div className="relative">
        <StepChart {...shared} {...panels.peak} formatY={percentTick}>
          <ReferenceLine y={100} stroke="var(--ink)" />
          {steps(sheet, ({ peak }) => peak, 1.75)}
        </StepChart>
        <PeakMarks sheet={sheet} />
      </div>
      <BoundaryStrip sheet={sheet} />
      <StepChart {...shared} {...panels.tokens} formatY={tokensTick}>
        <ReferenceLine y={0} stroke="var(--ink)" />
        {bars(sheet, 'tokens', TOKENS)}
      </StepChart>
      <StepChart {...shared} {...panels.reads} formatY={tokensTick}>
        {bars(sheet, 'reads', READS)}
      </StepChart>
      <StepChart {...shared} {...panels.share} formatY={percentTick} showsTimes>
        {steps(sheet, ({ cacheShare }) => cacheShare, 1.25)}
      </StepChart>
    </div>
  );
});

/** The line of a share, in steps; dashed in the current bucket. */
function steps(sheet: HistorySheet, read: (point: HistoryPoint) => number | null, strokeWidth: number) {
  const { frame } = sheet.panels.peak;
  const { rows, soFar } = traceOf(sheet.slots, read, ({ from, to }) => frame.x(to) - frame.x(from));
  const inPercent = (row: StepRow) => ({ x: row.x, y: row.y === null ? null : row.y * 100 });
  return (
    <>
      <Line {...STEP} data={rows.map(inPercent)} strokeWidth={strokeWidth} />
      {soFar.length === 0 ? null : (
        <Line
          {...STEP}
          data={soFar.map(inPercent)}
          stroke="var(--ink2)"
          strokeWidth={1.25}
          strokeDasharray="2 2"
        />
      )}
    </>
  );
}

/** Bars from zero, or stacked; paler in the current bucket. */
function bars({ slots, panels }: HistorySheet, name: 'tokens' | 'reads', all: readonly Bars[]) {
  return all.flatMap(([figure, ends, fill, opacity]) =>
    [false, true].map((partial) => {
      const shown = slots.filter((slot) => slot.partial === partial);
      return (
        <path
          key={`${figure} ${partial}`}
          d={barsPath(shown, panels[name].frame, ends)}
          fill={fill}
          fillOpacity={partial ? opacity / 2 : opacity}
        />
      );
    }),
  );
}

function PeakMarks({ sheet: { panels, highest } }: { sheet: HistorySheet }) {
  const { frame, yDomain } = panels.peak;
  const peak = highest?.point.peak ?? null;
  const state = stateOf(peak, DEFAULT_THRESHOLDS);
  const x = highest === undefined ? 0 : frame.x((highest.from + highest.to) / 2);
  const y = peak === null ? 0 : frame.y(Math.min(peak * 100, yDomain[1]));
  const isLeft = x > frame.right - 60;
  return (
    <svg
      width={frame.width}
      height={frame.height}
      data-state={state}
      className="pointer-events-none absolute inset-0 overflow-visible"
      aria-hidden="true"
    >
      {gutterBands(yDomain[1]).map((band) => (
        <rect
          key={band.state}
          data-state={band.state}
          x={frame.right}
          y={frame.y(band.to) + 0.5}
          width={6}
          height={Math.max(0, frame.y(band.from) - frame.y(band.to) - 1)}
          fill="var(--state)"
          opacity={band.state === state ? 1 : 0.28}
        />
      ))}
      {peak === null ? null : (
        <>
          <path d={`M${px(x)} ${px(y - 2)}V${px(y - 9)}`} stroke="var(--state)" strokeWidth={1.25} />
          <text
            x={x + (isLeft ? -4 : 4)}
            y={y - 5}
            textAnchor={isLeft ? 'end' : 'start'}
            className="chart-label chart-num chart-strong chart-state chart-halo"
          >
            {formatPercent(peak)}
          </text>
        </>
      )}
    </svg>
  );
}

/** Maximum width and minimum height of a mark, pixels. */
const WIDEST = 9;
const LEAST = 3;

/** Boundaries: compactions hatched upwards, restarts as double rules downwards, a notch at buckets with thrash. */
function BoundaryStrip({ sheet: { slots, panels } }: { sheet: HistorySheet }) {
  const { frame, yTicks } = panels.boundaries;
  const zero = px(frame.y(0));
  let [hatches, edges, rules, notches] = ['', '', '', ''];
  for (const { from, to, point } of slots) {
    const left = frame.x(from);
    const room = frame.x(to) - left;
    const width = Math.max(2, Math.min(WIDEST, room - 1));
    const middle = px(left + room / 2);
    if (point.compactions > 0) {
      const y = px(Math.min(frame.y(point.compactions), frame.y(0) - LEAST));
      const x = px(middle - width / 2);
      if (width < 3) edges += `M${middle} ${zero}V${y}`;
      else {
        hatches += hatchPath({ x, y, width, height: px(zero - y), spacing: 3 });
        edges += `M${x} ${zero}V${y}h${width}V${zero}`;
      }
    }
    if (point.restarts > 0) {
      const end = px(Math.max(frame.y(-point.restarts), frame.y(0) + LEAST));
      for (const offset of width < 5 ? [0] : [-1.75, 1.75]) rules += `M${px(middle + offset)} ${zero}V${end}`;
    }
    if (point.thrashes > 0) {
      notches += `M${middle - 3} ${px(Math.max(frame.top - 2, frame.y(point.compactions) - 7))}h6l-3 5z`;
    }
  }
  return (
    <svg width={frame.width} height={frame.height} className="block overflow-visible" aria-hidden="true">
      <path
        d={`M${frame.left} ${frame.top}H${frame.right}M${frame.left} ${frame.bottom}H${frame.right}`}
        stroke="var(--hair)"
      />
      <path d={hatches} stroke="var(--ink)" strokeWidth={0.9} fill="none" />
      <path d={edges} stroke="var(--ink)" strokeWidth={0.75} fill="none" />
      <path d={rules} stroke="var(--ink)" fill="none" />
      <path d={notches} fill="var(--ink)" />
      <path d={`M${frame.left} ${zero}H${frame.right}`} stroke="var(--hair2)" />
      {yTicks.map((value) => (
        <text
          key={value}
          x={frame.left - AXIS_WORDS_GAP}
          y={frame.y(value)}
          dy="0.32em"
          textAnchor="end"
          className="chart-tick"
        >
          {Math.abs(value)}
        </text>
      ))}
    </svg>
  );
}
