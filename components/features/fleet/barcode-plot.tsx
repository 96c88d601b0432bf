import { memo } from 'react';
import type { StateBounds } from '@/core/accounting/types';
import { AXIS_END } from '../../sessions/fleet-query';
import { axisMarks, type Barcode, binPath, PLOT, tickPaths } from './prepare-barcode';

const place = (percent: number) => `${(percent / AXIS_END) * 100}%`;

interface PlotProps {
  bounds: Readonly<StateBounds>;
  code: Barcode | null;
  /** Width for which the barcode was prepared, pixels. */
  width?: number;
  /** Dash the axis, because the connection is lost. */
  dashed?: boolean;
}

export const BarcodePlot = memo(function BarcodePlot({ bounds, code, width = 1, dashed = false }: PlotProps) {
  const marks = axisMarks(bounds).map(({ at }) => at);
  const tens = Array.from({ length: AXIS_END / 10 + 1 }, (_, index) => index * 10);
  const stroke = (percent: number, y1: number, y2: number, colour: string) => (
    <line key={`${percent} ${y1}`} x1={place(percent)} x2={place(percent)} y1={y1} y2={y2} stroke={colour} />
  );
  return (
    <>
      {[...new Set([...tens, ...marks])].map((at) =>
        stroke(at, 0, PLOT, at === 100 ? 'var(--hair2)' : 'var(--hair)'),
      )}
      {[...marks, AXIS_END].map((at) => stroke(at, PLOT, PLOT + 5, 'var(--ink)'))}
      {code === null ? null : (
        <svg
          width="100%"
          height={PLOT}
          viewBox={`0 0 ${width} ${PLOT}`}
          preserveAspectRatio="none"
          overflow="visible"
          aria-hidden="true"
        >
          <path d={binPath(code.shadows)} fill="var(--hair2)" opacity={0.6} />
          <path d={binPath(code.bins)} fill="var(--nominal)" opacity={0.4} />
          {tickPaths(code.ticks).map(({ state, faded, d }) => (
            <path
              key={`${state} ${faded}`}
              data-state={state}
              d={d}
              stroke={faded ? 'var(--hair2)' : 'var(--bar)'}
              strokeWidth="2"
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      )}
      <line
        x1="0"
        x2="100%"
        y1={PLOT}
        y2={PLOT}
        stroke="var(--ink)"
        vectorEffect="non-scaling-stroke"
        strokeDasharray={dashed ? '4 3' : undefined}
      />
    </>
  );
});

export function BarcodeSvg({ children, ...plot }: PlotProps & { children?: React.ReactNode }) {
  return (
    <svg width="100%" height={PLOT} className="absolute overflow-visible" aria-hidden="true">
      <BarcodePlot {...plot} />
      {children}
    </svg>
  );
}

/** The break near the end of the axis. Ticks after the break have a pressure above the axis. */
export function AxisBreak({ y = PLOT }: { y?: number }) {
  return (
    <g fill="none">
      <path d={`M-17 ${y}h10`} stroke="var(--paper)" strokeWidth="3" />
      <path d={`M-19 ${y + 4}l4-9m4 9l4-9`} stroke="var(--ink)" strokeWidth="1" />
    </g>
  );
}

export function BarcodeLabels({
  bounds,
  coloured = true,
}: Pick<PlotProps, 'bounds'> & { coloured?: boolean }) {
  return (
    <div className="absolute inset-x-0 top-[82px] h-[16px] text-small" aria-hidden="true">
      {axisMarks(bounds).map(({ at, state, word }) => (
        <span
          key={at}
          data-state={state ?? undefined}
          className={`absolute whitespace-nowrap ${at === 100 ? 'max-md:right-0 max-md:left-auto!' : ''}`}
          style={{ left: `calc(${place(at)} + ${at === 0 ? 0 : 4}px)` }}
        >
          <span className="num text-ink2">{at === 0 ? '0' : `${at} %`}</span>{' '}
          <span
            className={`pl-[2px] ${state === 'warning' ? 'max-[919px]:hidden' : 'max-md:hidden'} ${state !== null && coloured ? 'text-state' : 'text-ink2'}`}
          >
            {word}
          </span>
        </span>
      ))}
      <span className="num absolute right-0 text-ink2 max-[1150px]:hidden">{AXIS_END} %</span>
    </div>
  );
}
