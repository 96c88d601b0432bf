import { memo } from 'react';
import type { PressureState } from '@/core/accounting/types';
import type { StateBounds } from '@/core/api/session';
import { BoundaryMarks } from './boundary-marks';
import { bandOpacity, gutterBands } from './gutter-bands';
import { LineLabels } from './line-labels';
import type { PlacedBoundary } from './pick-marks';
import type { PlotFrame } from './plot-frame';
import type { Cone } from './prepare-cone';
import { FLAG_LEVEL_HEIGHT, type Flag } from './prepare-flags';
import type { ChartLine } from './prepare-lines';
import type { SumTrace } from './prepare-sums';
import { monoWidth } from './text-width';
import { hatchPath } from './torn-edge';

export interface BarogramMarksProps {
  frame: PlotFrame;
  narrow: boolean;
  /** At which end of a narrow plot its lines are named. */
  labelSide: 'left' | 'right';
  marks: readonly PlacedBoundary[];
  flags: readonly Flag[];
  lines: readonly ChartLine[];
  /** Input and output so far, named where they end. */
  sums: readonly SumTrace[];
  selectedId: string | null;
  toUnit: (tokens: number | null, limit: number | null) => number | null;
  /** Top of the value axis in percent; null: tokens, so no states to show. */
  topPercent: number | null;
  /** Where the project's states begin; null: at the usual bounds. */
  bounds: StateBounds | null;
  state: PressureState;
  current: { ratio: number; y: number; state: PressureState } | null;
  /** x of "now" in pixels; null: off the sheet. */
  nowX: number | null;
  /** The opened event, where it has no mark of its own, pixels. */
  selectedX: number | null;
  /** The cone from the live end to the next boundary, pixels. */
  forecast: (Cone & { boundaryY: number; label: string; held: boolean }) | null;
  /** Stretches without tracking, pixels. */
  untracked: ReadonlyArray<{ from: number; to: number }>;
  /** Where sums become a lower bound, pixels. */
  lowerBounds: ReadonlyArray<{ x: number; y: number }>;
  /** Where messages were removed without a boundary, pixels. */
  notches: ReadonlyArray<{ id: string; x: number }>;
  /** Lone readings, pixels. */
  singles: ReadonlyArray<{ x: number; y: number }>;
  /** Names of unknown stretches, pixels. */
  unknowns: ReadonlyArray<{ x: number; y: number; label: string }>;
}

/** Tears, flags, labels, gutter and forecast, over the traces. */
export const BarogramMarks = memo(function BarogramMarks(props: BarogramMarksProps) {
  const { frame, marks, flags, lines, selectedId, nowX, forecast } = props;
  return (
    <svg
      width={frame.width}
      height={frame.height}
      className="pointer-events-none absolute inset-0"
      aria-hidden="true"
    >
      {nowX === null ? null : (
        <>
          <line x1={nowX} x2={nowX} y1={frame.top} y2={frame.bottom} stroke="var(--hair2)" />
          <text
            x={nowX}
            y={frame.bottom + 14}
            dy="0.71em"
            textAnchor="middle"
            className="chart-label chart-num"
          >
            now
          </text>
        </>
      )}
      {props.untracked.map(({ from, to }) => (
        <Untracked key={from} from={from} to={to} bottom={frame.bottom} />
      ))}
      {props.selectedX === null ? null : (
        <>
          <line
            x1={props.selectedX}
            x2={props.selectedX}
            y1={frame.top}
            y2={frame.bottom}
            stroke="var(--ink)"
            strokeWidth={0.75}
            strokeDasharray="2 3"
          />
          <path d={`M${props.selectedX - 4} ${frame.top - 6}h8l-4 6z`} fill="var(--ink)" />
        </>
      )}
      <BoundaryMarks frame={frame} marks={marks} toUnit={props.toUnit} selectedId={selectedId} />
      {props.lowerBounds.map(({ x, y }) => (
        <text key={x} x={x + 5} y={y + 15} className="chart-label chart-num">
          ≥
        </text>
      ))}
      {props.notches.map(({ id, x }) => (
        <path key={id} d={`M${x - 3} ${frame.top}h6l-3 4z`} fill="var(--ink2)" />
      ))}
      {props.singles.map(({ x, y }) => (
        <line key={x} x1={x - 1} x2={x + 5} y1={y} y2={y} stroke="var(--ink)" strokeWidth={1.75} />
      ))}
      {props.unknowns.map(({ x, y, label }) => (
        <text key={x} x={x} y={y} className="chart-label chart-quiet chart-halo">
          {label}
        </text>
      ))}
      {forecast ? <Forecast {...forecast} right={frame.right} /> : null}
      {flags.map((flag) => (
        <FlagMark key={flag.id} flag={flag} top={frame.top} selected={flag.eventId === selectedId} />
      ))}
      {lines.map((line) => (
        <line
          key={line.id}
          x1={frame.right}
          x2={frame.right + 6}
          y1={frame.y(line.y)}
          y2={frame.y(line.y)}
          stroke="var(--ink)"
        />
      ))}
      {props.topPercent === null ? null : <Gutter {...props} topPercent={props.topPercent} />}
      <LineLabels
        frame={frame}
        lines={lines}
        sums={props.sums}
        current={props.current}
        narrow={props.narrow}
        side={props.labelSide}
      />
    </svg>
  );
});

function FlagMark({ flag, top, selected }: { flag: Flag; top: number; selected: boolean }) {
  const y = top - 9 - flag.level * FLAG_LEVEL_HEIGHT;
  const left = flag.side === 'left';
  return (
    <g>
      <line
        x1={flag.x}
        x2={flag.x}
        y1={top}
        y2={y - 3}
        stroke="var(--ink)"
        strokeWidth={selected ? 1.75 : 1}
      />
      <text
        x={flag.x + (left ? -5 : 5)}
        y={y + 2}
        textAnchor={left ? 'end' : 'start'}
        className="chart-label"
      >
        <tspan className={`chart-num ${selected ? 'chart-strong' : ''}`}>{flag.text}</tspan>
        {flag.note ? (
          <tspan dx={flag.text ? 6 : 0} className="chart-quiet">
            {flag.note}
          </tspan>
        ) : null}
      </text>
    </g>
  );
}

/** One band per state; the current one at full strength. */
function Gutter({ frame, state, topPercent, bounds, current }: BarogramMarksProps & { topPercent: number }) {
  return (
    <>
      {gutterBands(topPercent, bounds).map((band) => {
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
            opacity={bandOpacity(band.state, state)}
          />
        );
      })}
      {current ? (
        <path
          data-state={current.state}
          d={`M${frame.right + 7} ${frame.y(current.y)}l6 -3.5v7z`}
          fill="var(--state)"
        />
      ) : null}
    </>
  );
}

/** The forecast cone, with a bar on the boundary where it is reached. */
function Forecast({
  fill,
  edges,
  middle,
  meets,
  boundaryY,
  label,
  held,
  right,
}: NonNullable<BarogramMarksProps['forecast']> & { right: number }) {
  const colour = held ? 'var(--ink3)' : 'var(--mark)';
  return (
    <g stroke={colour} fill="none">
      <path d={fill} fill={colour} fillOpacity={0.12} stroke="none" />
      <path d={edges} strokeWidth={0.75} strokeDasharray="2 2" />
      <path d={middle} strokeWidth={1} />
      {meets === null ? null : (
        <>
          <path d={`M${meets.from} ${boundaryY}H${meets.to}`} strokeWidth={3.5} />
          <text
            x={Math.min((meets.from + meets.to) / 2, right - monoWidth(label) / 2 - 2)}
            y={boundaryY - 7}
            textAnchor="middle"
            className="chart-label chart-num chart-strong chart-halo"
          >
            {label}
          </text>
        </>
      )}
    </g>
  );
}

function Untracked({ from, to, bottom }: { from: number; to: number; bottom: number }) {
  const box = { x: from, y: bottom - 7, width: to - from, height: 7 };
  return (
    <g>
      <rect {...box} fill="var(--paper)" stroke="var(--ink3)" strokeWidth={0.75} />
      <path d={hatchPath({ ...box, spacing: 5 })} stroke="var(--ink3)" strokeWidth={0.75} fill="none" />
      <text x={from + 2} y={bottom - 12} className="chart-label chart-quiet chart-halo">
        not tracked
      </text>
    </g>
  );
}
