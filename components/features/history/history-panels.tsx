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
import { barsPath, type HistorySheet, type PanelName, traceOf } from './prepare-history';

const percentTick = (value: number) => valueTickLabel(value, 'percent');
const tokensTick = (value: number) => (value === 0 ? '0' : roundTokens(Math.abs(value)));
const DARK = { fill: 'var(--ink)', opacity: 0.75 };

/** All panels of a range. Memoised, so that the crosshair does not draw them again. */
export const HistoryPanels = memo(function HistoryPanels({ sheet }: { sheet: HistorySheet }) {
  return (
    <div aria-hidden="true">
      <div className="relative">
        <Plot sheet={sheet} name="peak" formatY={percentTick}>
          <ReferenceLine y={100} stroke="var(--ink)" />
          {steps(sheet, ({ peak }) => peak, 1.75)}
        </Plot>
        <PeakMarks sheet={sheet} />
      </div>
      <BoundaryStrip sheet={sheet} />
      <Plot sheet={sheet} name="tokens" formatY={tokensTick}>
        <ReferenceLine y={0} stroke="var(--ink)" />
        <Bars sheet={sheet} name="tokens" ends={({ input }) => [0, input]} {...DARK} />
        <Bars
          sheet={sheet}
          name="tokens"
          ends={({ input, cacheCreation }) => [input, input + cacheCreation]}
          fill="var(--ink3)"
          opacity={0.55}
        />
        <Bars sheet={sheet} name="tokens" ends={({ output }) => [0, -output]} {...DARK} />
      </Plot>
      <Plot sheet={sheet} name="reads" formatY={tokensTick}>
        <Bars
          sheet={sheet}
          name="reads"
          ends={({ cacheRead }) => [0, cacheRead]}
          fill="var(--ink2)"
          opacity={0.6}
        />
      </Plot>
      <Plot sheet={sheet} name="share" formatY={percentTick} showsTimes>
        {steps(sheet, ({ cacheShare }) => cacheShare, 1.25)}
      </Plot>
    </div>
  );
});

interface PlotProps {
  sheet: HistorySheet;
  name: PanelName;
  formatY: (value: number) => string;
  /** The last panel alone has the times. */
  showsTimes?: boolean;
  children: React.ReactNode;
}

function Plot({ sheet, name, showsTimes = false, ...rest }: PlotProps) {
  const { xDomain, xTicks, panels } = sheet;
  return <StepChart {...panels[name]} xDomain={xDomain} xTicks={xTicks} showsTimes={showsTimes} {...rest} />;
}

/** A share in steps, in ink; dashed in the current bucket. */
function steps(
  { slots, panels }: HistorySheet,
  read: (point: HistoryPoint) => number | null,
  strokeWidth: number,
) {
  const percent = (point: HistoryPoint) => {
    const share = read(point);
    return share === null ? null : share * 100;
  };
  const { frame } = panels.peak;
  const { rows, soFar } = traceOf(slots, percent, ({ from, to }) => frame.x(to) - frame.x(from));
  return (
    <>
      <Line {...STEP} data={rows} strokeWidth={strokeWidth} />
      {soFar.length === 0 ? null : (
        <Line {...STEP} data={soFar} stroke="var(--ink2)" strokeWidth={1.25} strokeDasharray="2 2" />
      )}
    </>
  );
}

interface BarsProps {
  sheet: HistorySheet;
  name: PanelName;
  ends: (point: HistoryPoint) => readonly [from: number, to: number];
  fill: string;
  opacity: number;
}

/** Bars of one figure; paler in the current bucket. */
function Bars({ sheet: { slots, panels }, name, ends, fill, opacity }: BarsProps) {
  return [false, true].map((partial) => (
    <path
      key={String(partial)}
      d={barsPath(
        slots.filter((slot) => slot.partial === partial),
        panels[name].frame,
        ends,
      )}
      fill={fill}
      fillOpacity={partial ? opacity / 2 : opacity}
    />
  ));
}

/** The states at the right edge, that of the highest peak in full strength, and the peak by its figure. */
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
      {gutterBands(yDomain[1]).map((band) => {
        const top = frame.y(band.to);
        return (
          <rect
            key={band.state}
            data-state={band.state}
            x={frame.right}
            y={top + 0.5}
            width={6}
            height={Math.max(0, frame.y(band.from) - top - 1)}
            fill="var(--state)"
            opacity={band.state === state ? 1 : 0.28}
          />
        );
      })}
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

const WIDEST = 9;
/** One among hundreds is still to be seen. */
const LEAST = 3;

/**
 * Boundaries as they are drawn on the barogram: compactions hatched, upwards; restarts double rules, downwards.
 * A notch marks a slot in which a session thrashed.
 */
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
