import type { PressureState } from '@/core/accounting/types';
import { AXIS_END } from './fleet-query';

const PLOT = 44;
const VERTICALS = [0, 10, 20, 30, 40, 60, 70, 80, 90, 110];
const MARKS: ReadonlyArray<{ at: number; state: PressureState | null; word: string }> = [
  { at: 0, state: null, word: 'nominal' },
  { at: 50, state: 'elevated', word: 'elevated' },
  { at: 75, state: 'warning', word: 'warning' },
  { at: 85, state: 'critical', word: 'critical' },
  { at: 100, state: null, word: 'limit' },
];

const x = (percent: number) => `${(percent / AXIS_END) * 100}%`;

/** Verticals and axis ticks, for inside of the plot's svg. */
export function BarcodeAxis() {
  return (
    <>
      {VERTICALS.map((percent) => (
        <line key={percent} x1={x(percent)} x2={x(percent)} y1="0" y2={PLOT} stroke="var(--hair)" />
      ))}
      {MARKS.map(({ at }) => (
        <line
          key={at}
          x1={x(at)}
          x2={x(at)}
          y1="0"
          y2={PLOT}
          stroke={at === 100 ? 'var(--hair2)' : 'var(--hair)'}
        />
      ))}
      {[...MARKS.map(({ at }) => at), AXIS_END].map((percent) => (
        <line key={percent} x1={x(percent)} x2={x(percent)} y1={PLOT} y2={PLOT + 5} stroke="var(--ink)" />
      ))}
    </>
  );
}

/** The axis's labels, under the plot: the bound and the state that begins there. */
export function BarcodeLabels({ coloured = true }: { coloured?: boolean }) {
  return (
    <div className="absolute inset-x-0 top-[82px] h-[16px] text-small" aria-hidden="true">
      {MARKS.map(({ at, state, word }) => (
        <span
          key={at}
          data-state={state ?? undefined}
          className={`absolute whitespace-nowrap ${at === 100 ? 'max-md:right-0 max-md:left-auto!' : ''}`}
          style={{ left: `calc(${x(at)} + ${at === 0 ? 0 : 4}px)` }}
        >
          <span className="num text-ink2">{at === 0 ? '0' : `${at} %`}</span>{' '}
          <span
            className={`pl-[2px] max-md:hidden ${state !== null && coloured ? 'text-state' : 'text-ink2'}`}
          >
            {word}
          </span>
        </span>
      ))}
      <span className="num absolute right-0 text-ink2 max-[1150px]:hidden">{AXIS_END} %</span>
    </div>
  );
}
