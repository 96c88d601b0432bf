import type { StateBounds } from '@/core/api/session';
import { AXIS_END } from '../../sessions/fleet-query';
import { type AxisMark, axisMarks } from './prepare-axis-marks';

const PLOT = 44;

const x = (percent: number) => `${(percent / AXIS_END) * 100}%`;

interface BarcodeAxisProps {
  /** Where the states begin; null: sessions differ, and the axis names shares of the limit alone. */
  bounds: Readonly<StateBounds> | null;
}

/** Verticals and axis ticks, for inside of the plot's svg. */
export function BarcodeAxis({ bounds }: BarcodeAxisProps) {
  const marks = axisMarks(bounds);
  const named = new Set(marks.map(({ at }) => at));
  const verticals = Array.from({ length: AXIS_END / 10 + 1 }, (_, index) => index * 10);
  return (
    <>
      {verticals
        .filter((percent) => !named.has(percent))
        .map((percent) => (
          <line key={percent} x1={x(percent)} x2={x(percent)} y1="0" y2={PLOT} stroke="var(--hair)" />
        ))}
      {marks.map(({ at }) => (
        <line
          key={at}
          x1={x(at)}
          x2={x(at)}
          y1="0"
          y2={PLOT}
          stroke={at === 100 ? 'var(--hair2)' : 'var(--hair)'}
        />
      ))}
      {[...named, AXIS_END].map((percent) => (
        <line key={percent} x1={x(percent)} x2={x(percent)} y1={PLOT} y2={PLOT + 5} stroke="var(--ink)" />
      ))}
    </>
  );
}

/** Size of the mark, pixels: it begins left of the axis' end, and the axis lies in its middle. */
export const BREAK = { left: -19, width: 16, height: 10 };

/** The break in the axis: ticks at its end are beyond it. For inside of an svg that begins at the end of the axis. */
export function AxisBreak({ y }: { y: number }) {
  return (
    <g fill="none">
      <path d={`M-17 ${y}h10`} stroke="var(--paper)" strokeWidth="3" />
      <path d={`M${BREAK.left} ${y + 4}l4-9m4 9l4-9`} stroke="var(--ink)" strokeWidth="1" />
    </g>
  );
}

interface BarcodeLabelsProps extends BarcodeAxisProps {
  coloured?: boolean;
}

/** The axis's labels, under the plot: the bound and the state that begins there. */
export function BarcodeLabels({ bounds, coloured = true }: BarcodeLabelsProps) {
  return (
    <div className="absolute inset-x-0 top-[82px] h-[16px] text-small" aria-hidden="true">
      {axisMarks(bounds).map((mark) => (
        <Label key={mark.at} mark={mark} coloured={coloured} />
      ))}
      <span className="num absolute right-0 text-ink2 max-[1150px]:hidden">{AXIS_END} %</span>
    </div>
  );
}

function Label({ mark: { at, state, word }, coloured }: { mark: AxisMark; coloured: boolean }) {
  return (
    <span
      data-state={state ?? undefined}
      className={`absolute whitespace-nowrap ${at === 100 ? 'max-md:right-0 max-md:left-auto!' : ''}`}
      style={{ left: `calc(${x(at)} + ${at === 0 ? 0 : 4}px)` }}
    >
      <span className="num text-ink2">{at === 0 ? '0' : `${at} %`}</span>{' '}
      <span
        className={`pl-[2px] ${state === 'warning' ? 'max-[919px]:hidden' : 'max-md:hidden'} ${state !== null && coloured ? 'text-state' : 'text-ink2'}`}
      >
        {word}
      </span>
    </span>
  );
}
