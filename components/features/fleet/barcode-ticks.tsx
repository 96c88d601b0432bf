import { memo, useMemo } from 'react';
import type { Tick } from './prepare-barcode';
import { tickPaths } from './tick-paths';

interface BarcodeTicksProps {
  ticks: readonly Tick[];
  /** The width the ticks were placed for, pixels. */
  width: number;
  height: number;
}

/** The ticks, a path a state. They stretch with the plot until its width is known; their strokes do not. */
export const BarcodeTicks = memo(function BarcodeTicks({ ticks, width, height }: BarcodeTicksProps) {
  const paths = useMemo(() => tickPaths(ticks, height), [ticks, height]);
  return (
    <svg
      width="100%"
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      overflow="visible"
      aria-hidden="true"
    >
      {paths.map(({ state, faded, d }) => (
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
  );
});
