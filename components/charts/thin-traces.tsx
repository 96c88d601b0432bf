'use client';
import { useId } from 'react';
import type { PlotFrame } from './plot-frame';

export interface ThinTrace {
  id: string;
  d: string;
  stroke: string;
  strokeWidth: number;
  dash?: string | undefined;
}

interface ThinTracesProps {
  frame: PlotFrame;
  traces: readonly ThinTrace[];
  /** Words beside their ends, under the session's own trace as well. */
  names: ReadonlyArray<{ id: string; text: string; x: number; y: number; isLeft: boolean }>;
}

/** Traces laid under the session's own, on its axes: plain paths, cut off at the plot's edges. */
export function ThinTraces({ frame, traces, names }: ThinTracesProps) {
  const clip = useId();
  if (traces.length === 0) return null;
  return (
    <svg
      width={frame.width}
      height={frame.height}
      className="pointer-events-none absolute inset-0"
      aria-hidden="true"
    >
      <clipPath id={clip}>
        <path d={`M${frame.left} ${frame.top}H${frame.right}V${frame.bottom}H${frame.left}z`} />
      </clipPath>
      <g clipPath={`url(#${clip})`} fill="none">
        {traces.map(({ id, d, stroke, strokeWidth, dash }) => (
          <path
            key={id}
            data-trace={id}
            d={d}
            stroke={stroke}
            strokeWidth={strokeWidth}
            strokeDasharray={dash}
          />
        ))}
      </g>
      {names.map(({ id, text, x, y, isLeft }) => (
        <text
          key={id}
          x={x}
          y={y}
          textAnchor={isLeft ? 'end' : 'start'}
          className="chart-label chart-quiet chart-halo"
        >
          {text}
        </text>
      ))}
    </svg>
  );
}
