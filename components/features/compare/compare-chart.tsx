'use client';
import { useMemo, useRef } from 'react';
import '../../charts/chart.css';
import { CrosshairMark, CrosshairSlider } from '../../charts/crosshair-slider';
import { type ThinTrace, ThinTraces } from '../../charts/thin-traces';
import { TraceLines } from '../../charts/trace-lines';
import { segmentPath } from '../../charts/trace-segments';
import { type CrosshairState, useCrosshair } from '../../charts/use-crosshair';
import { formatPercent } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';
import type { Alignment } from '../../sessions/compare-url';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { BoundaryLanes } from './boundary-lanes';
import { CompareReadout } from './compare-readout';
import {
  type ComparedTrace,
  type CompareSheet,
  type NamedSide,
  pointAt,
  prepareCompare,
  stepsOf,
} from './prepare-compare';
import { STROKE } from './stroke-sample';
import { TraceStepsTable } from './trace-steps-table';

/** Lines are named by labels of their own, see EndLabel. */
const NO_NAMES: never[] = [];

interface CompareChartProps {
  sides: readonly NamedSide[];
  by: Alignment;
  unit: 'percent' | 'tokens';
}

/** Both traces on one pressure axis, from their first turns, under one crosshair. */
export function CompareChart({ sides, by, unit }: CompareChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(box);
  const sheet = useMemo(
    () => (width === 0 ? null : prepareCompare(sides, { by, unit, width })),
    [sides, by, unit, width],
  );
  const steps = useMemo(() => (sheet === null ? [] : stepsOf(sheet.traces)), [sheet]);
  const crosshair = useCrosshair({ keys: steps, xs: steps });
  const x = crosshair.index === null ? null : (steps[crosshair.index] ?? null);
  return (
    <section aria-label="Traces" className="min-w-0">
      <div ref={box} className="min-h-[350px] sm:min-h-[500px]">
        {sheet === null ? null : (
          <>
            <CompareReadout sheet={sheet} by={by} x={x} />
            <Drawn sheet={sheet} sides={sides} by={by} steps={steps} crosshair={crosshair} x={x} />
            <BoundaryLanes sheet={sheet} />
            <TraceStepsTable sheet={sheet} by={by} />
          </>
        )}
      </div>
    </section>
  );
}

interface DrawnProps {
  sheet: CompareSheet;
  sides: readonly NamedSide[];
  by: Alignment;
  steps: readonly number[];
  crosshair: CrosshairState;
  /** Where the crosshair is. */
  x: number | null;
}

function Drawn({ sheet, sides, by, steps, crosshair, x }: DrawnProps) {
  const { frame, layout } = sheet;
  const point = (event: React.PointerEvent<HTMLElement>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left;
    if (left < frame.left || left > frame.right) crosshair.clear();
    else crosshair.moveTo(frame.invertX(left));
  };
  const lineX = x === null ? null : frame.x(x);
  return (
    <div
      className="relative touch-pan-y"
      style={{ height: frame.height }}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={crosshair.leave}
    >
      <div aria-hidden="true">
        <TraceLines
          frame={frame}
          xDomain={sheet.xDomain}
          xTicks={sheet.xTicks}
          valueAxis={sheet.valueAxis}
          lines={[]}
          rows={{}}
          overlayRows={null}
          hollow={false}
        />
        <ThinTraces
          frame={frame}
          traces={sheet.traces.flatMap((trace) => strokesOf(trace, sheet))}
          names={NO_NAMES}
        />
        <svg
          width={frame.width}
          height={frame.height}
          className="pointer-events-none absolute inset-0"
          aria-hidden="true"
        >
          {sheet.limits.map(({ y, text }) => (
            <g key={y}>
              <path d={`M${frame.left} ${frame.y(y)}H${frame.right}`} stroke="var(--ink)" fill="none" />
              <text
                x={layout.narrow ? frame.left + 4 : frame.right + 16}
                y={frame.y(y) + (layout.narrow ? -5 : 4)}
                className="chart-label chart-halo"
              >
                {text}
              </text>
            </g>
          ))}
          {sheet.traces.map((trace) => (
            <EndLabel key={trace.name} trace={trace} sheet={sheet} sides={sides} />
          ))}
          <text
            x={layout.narrow ? frame.right : frame.right + 16}
            y={layout.narrow ? frame.bottom - 6 : frame.bottom + 14}
            dy={layout.narrow ? 0 : '0.71em'}
            textAnchor={layout.narrow ? 'end' : 'start'}
            className="chart-label chart-quiet chart-halo"
          >
            {by}
          </text>
          {lineX === null || x === null ? null : (
            <CrosshairMark
              x={lineX}
              top={frame.top}
              bottom={frame.bottom}
              ys={sheet.traces.flatMap((trace) => {
                const y = pointAt(trace, x)?.y ?? null;
                return y === null ? [] : [frame.y(y)];
              })}
            />
          )}
        </svg>
      </div>
      {steps.length === 0 ? null : (
        <CrosshairSlider
          frame={frame}
          crosshair={crosshair}
          count={steps.length}
          label={by === 'turns' ? 'Turn under the crosshair' : 'Minute under the crosshair'}
          min={Math.floor(steps[0] ?? 0)}
          max={Math.ceil(steps.at(-1) ?? 0)}
          now={Math.round(x ?? steps.at(-1) ?? 0)}
          text={spoken(sheet, by, x ?? steps.at(-1) ?? 0)}
        />
      )}
    </div>
  );
}

/** Falls closer together than this, pixels, would hide the line: the lanes have them. */
const FALL_ROOM = 6;

/** The line of a side in its stroke; what is not known of it thin and dotted. Falls at boundaries are dotted. */
function strokesOf({ name, segments, boundaries }: ComparedTrace, { frame }: CompareSheet): ThinTrace[] {
  const known = segments.filter(({ kind }) => kind === 'ink' || kind === 'estimate');
  const unknown = segments.filter(({ kind }) => kind === 'unknown');
  const { dash } = STROKE[name];
  const places = boundaries.map(({ x }) => frame.x(x));
  const falls = boundaries.flatMap(({ from, to }, index) => {
    const at = places[index] ?? 0;
    const isCrowded =
      at - (places[index - 1] ?? Number.NEGATIVE_INFINITY) < FALL_ROOM ||
      (places[index + 1] ?? Number.POSITIVE_INFINITY) - at < FALL_ROOM;
    return isCrowded || from === null || to === null ? [] : [`M${at} ${frame.y(from)}V${frame.y(to)}`];
  });
  return [
    { id: `${name}-falls`, d: falls.join(''), stroke: 'var(--ink2)', strokeWidth: 0.75, dash: '1 2' },
    {
      id: `${name}-unknown`,
      d: segmentPath(unknown, frame),
      stroke: 'var(--ink2)',
      strokeWidth: 1,
      dash: '1 3',
    },
    {
      id: name,
      d: segmentPath(known, frame),
      stroke: 'var(--ink)',
      strokeWidth: 1.75,
      ...(dash === undefined ? {} : { dash }),
    },
  ];
}

interface EndLabelProps {
  trace: ComparedTrace;
  sheet: CompareSheet;
  sides: readonly NamedSide[];
}

/** Letter, name and value where the line ends; on a narrow screen only the letter. */
function EndLabel({ trace, sheet, sides }: EndLabelProps) {
  const { frame, layout, unit } = sheet;
  const { label, end, name } = trace;
  if (label === null || end === null) return null;
  if (layout.narrow) {
    return (
      <text
        x={Math.min(label.x + 4, frame.right + 4)}
        y={label.y + 4}
        className="chart-label chart-strong chart-halo"
      >
        {name.toUpperCase()}
      </text>
    );
  }
  const side = sides.find((one) => one.name === name);
  const x = Math.min(label.x + 8, frame.right + 12);
  const value = unit === 'percent' ? formatPercent(end.y / 100) : formatTokens(end.y);
  return (
    <text x={x} y={label.y + 4} className="chart-label chart-halo">
      <tspan className="chart-strong">{name.toUpperCase()}</tspan>
      <tspan dx={6} className="chart-num">
        {value}
      </tspan>
      <tspan x={x} dy={14} className="chart-quiet">
        {shorten(side?.data.session.title ?? side?.data.session.key ?? '', 24)}
      </tspan>
    </text>
  );
}

function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

/** The crosshair's values for screen readers. */
function spoken(sheet: CompareSheet, by: Alignment, x: number): string {
  const where = by === 'turns' ? `turn ${Math.round(x)}` : `minute ${Math.round(x)}`;
  const values = sheet.traces.map((trace) => {
    const used = pointAt(trace, x)?.used ?? null;
    return `${trace.name.toUpperCase()} ${used === null ? (x > trace.endX ? 'ended' : 'unknown') : `${formatExact(used)} tokens`}`;
  });
  return `${where}: ${values.join(', ')}`;
}
