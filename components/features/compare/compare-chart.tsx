'use client';
import { useMemo, useRef } from 'react';
import { CrosshairMark, CrosshairSlider } from '../../charts/crosshair-slider';
import { Label, Overlay, type ThinTrace, ThinTraces } from '../../charts/overlay';
import { TraceLines } from '../../charts/trace-lines';
import { segmentPath } from '../../charts/trace-segments';
import { useCrosshair } from '../../charts/use-crosshair';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatExact, formatTokenChange, formatTokens } from '../../format/format-tokens';
import type { Alignment } from '../../sessions/compare-url';
import { useMeasuredWidth } from '../../ui/use-measured-width';
import { BoundaryLanes } from './boundary-lanes';
import {
  type ComparedTrace,
  type CompareSheet,
  type NamedSide,
  pointAt,
  prepareCompare,
  stepsOf,
  usedAt,
} from './prepare-compare';
import { DASH, StrokeSample } from './side-head';

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
  return (
    <section aria-label="Traces" className="min-w-0">
      <div ref={box} className="min-h-[350px] sm:min-h-[500px]">
        {sheet === null ? null : (
          <>
            <Drawn sheet={sheet} by={by} />
            <BoundaryLanes sheet={sheet} />
          </>
        )}
      </div>
    </section>
  );
}

type DrawnProps = { sheet: CompareSheet; by: Alignment };

function Drawn({ sheet, by }: DrawnProps) {
  const { frame, traces } = sheet;
  const steps = useMemo(() => stepsOf(traces), [traces]);
  const crosshair = useCrosshair({ keys: steps, xs: steps });
  const x = steps[crosshair.index ?? -1] ?? null;
  const shown = x ?? steps.at(-1) ?? 0;
  const point = (event: React.PointerEvent<HTMLElement>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left;
    if (left < frame.left || left > frame.right) crosshair.clear();
    else crosshair.moveTo(frame.invertX(left));
  };
  return (
    <>
      <Readout sheet={sheet} by={by} x={x} />
      <div
        className="relative touch-pan-y"
        style={{ height: frame.height }}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={crosshair.leave}
      >
        <div aria-hidden="true">
          <TraceLines {...sheet} />
          <ThinTraces frame={frame} traces={traces.flatMap((trace) => strokesOf(trace, sheet))} />
          <Overlay width={frame.width} height={frame.height}>
            <Labels sheet={sheet} by={by} />
            {x === null ? null : (
              <CrosshairMark
                frame={frame}
                x={frame.x(x)}
                values={traces.map((trace) => pointAt(trace, x)?.y ?? null)}
              />
            )}
          </Overlay>
        </div>
        {steps.length === 0 ? null : (
          <CrosshairSlider
            frame={frame}
            crosshair={crosshair}
            count={steps.length}
            label={by === 'turns' ? 'Turn under the crosshair' : 'Minute under the crosshair'}
            min={Math.floor(steps[0] ?? 0)}
            max={Math.ceil(steps.at(-1) ?? 0)}
            now={Math.round(shown)}
            text={spoken(traces, by, shown)}
          />
        )}
      </div>
    </>
  );
}

/** Labels of the limits, of the x axis, and of each side at the end of its line. */
function Labels({ sheet: { frame, layout, limits, traces, unit }, by }: DrawnProps) {
  const { narrow } = layout;
  return (
    <>
      {limits.map(({ y, text }) => (
        <g key={y}>
          <path d={`M${frame.left} ${frame.y(y)}H${frame.right}`} stroke="var(--ink)" fill="none" />
          <Label
            x={narrow ? frame.left + 4 : frame.right + 16}
            y={frame.y(y) + (narrow ? -5 : 4)}
            className="chart-halo"
          >
            {text}
          </Label>
        </g>
      ))}
      {traces.map(({ name, title, label, end }) => {
        if (label === null || end === undefined) return null;
        const x = narrow ? Math.min(label.x + 4, frame.right + 4) : Math.min(label.x + 8, frame.right + 12);
        return (
          <Label key={name} x={x} y={label.y + 4} className="chart-halo">
            <tspan className="chart-strong">{name.toUpperCase()}</tspan>
            {narrow ? null : (
              <>
                <tspan dx={6} className="chart-num">
                  {unit === 'percent' ? formatPercent(end.y / 100) : formatTokens(end.y)}
                </tspan>
                <tspan x={x} dy={14} className="chart-quiet">
                  {shorten(title)}
                </tspan>
              </>
            )}
          </Label>
        );
      })}
      <Label
        x={narrow ? frame.right : frame.right + 16}
        y={narrow ? frame.bottom - 6 : frame.bottom + 14}
        dy={narrow ? 0 : '0.71em'}
        isLeft={narrow}
        className="chart-quiet chart-halo"
      >
        {by}
      </Label>
    </>
  );
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= 24 ? text : `${characters.slice(0, 23).join('')}…`;
}

/** Minimum distance between drops, pixels. Closer drops would hide the line, so only the lanes show them. */
const FALL_ROOM = 6;

/** The line of a side. Unknown values are thin and dotted; drops at boundaries are dotted. */
function strokesOf({ name, segments, boundaries }: ComparedTrace, { frame }: CompareSheet): ThinTrace[] {
  const known = segments.filter(({ kind }) => kind === 'ink' || kind === 'estimate');
  const unknown = segments.filter(({ kind }) => kind === 'unknown');
  const dash = DASH[name];
  const places = boundaries.map(({ x }) => frame.x(x));
  const falls = boundaries.map(({ from, to }, index) => {
    const at = places[index] ?? 0;
    const [before = -FALL_ROOM, after = frame.width + FALL_ROOM] = [places[index - 1], places[index + 1]];
    const isCrowded = at - before < FALL_ROOM || after - at < FALL_ROOM;
    return isCrowded || from === null || to === null ? '' : `M${at} ${frame.y(from)}V${frame.y(to)}`;
  });
  const quiet = { stroke: 'var(--ink2)' };
  return [
    { id: `${name}-falls`, d: falls.join(''), ...quiet, strokeWidth: 0.75, dash: '1 2' },
    { id: `${name}-unknown`, d: segmentPath(unknown, frame), ...quiet, strokeWidth: 1, dash: '1 3' },
    {
      id: name,
      d: segmentPath(known, frame),
      stroke: 'var(--ink)',
      strokeWidth: 1.75,
      ...(dash !== undefined && { dash }),
    },
  ];
}

/** The crosshair's values for screen readers. */
function spoken(traces: readonly ComparedTrace[], by: Alignment, x: number): string {
  const values = traces.map((trace) => {
    const used = usedAt(trace, x);
    return `${trace.name.toUpperCase()} ${typeof used === 'number' ? `${formatExact(used)} tokens` : used}`;
  });
  return `${by === 'turns' ? 'turn' : 'minute'} ${Math.round(x)}: ${values.join(', ')}`;
}

/** Values of both sides under the crosshair. The line is always rendered, so that the layout does not shift. */
function Readout({ sheet: { traces, unit }, by, x }: DrawnProps & { x: number | null }) {
  const className =
    'flex min-h-[28px] flex-wrap items-center gap-x-[20px] gap-y-0 pt-[4px] max-sm:min-h-[48px]';
  if (x === null) {
    const point = by === 'turns' ? 'turn' : 'minute';
    return (
      <p className={`${className} text-ink2`}>
        Point at the chart or use the arrow keys to read{' '}
        {traces.length > 1 ? `the same ${point} of both` : `a ${point}`}.
      </p>
    );
  }
  const [a, b] = traces.map((trace) => usedAt(trace, x));
  return (
    <p className={className}>
      <span className="num w-[84px]">
        {by === 'turns' ? <span className="font-sans">turn </span> : null}
        {by === 'turns' ? formatExact(Math.round(x)) : formatDuration(x * 60_000)}
      </span>
      {traces.map((trace) => {
        const used = usedAt(trace, x);
        const y = unit === 'percent' ? (pointAt(trace, x)?.y ?? null) : null;
        return (
          <span key={trace.name} className="inline-flex items-center gap-[8px]">
            <StrokeSample name={trace.name} />
            {typeof used === 'number' ? (
              <span className="num">
                {formatTokens(used, { fine: true })}
                {y === null ? null : <span className="ml-[6px] text-ink2"> {formatPercent(y / 100)}</span>}
              </span>
            ) : (
              <span className="text-ink2">{used}</span>
            )}
          </span>
        );
      })}
      {typeof a === 'number' && typeof b === 'number' ? (
        <span className="text-ink2">
          B − A <span className="num text-ink">{formatTokenChange(b - a)}</span>
        </span>
      ) : null}
    </p>
  );
}
