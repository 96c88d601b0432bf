'use client';
import { useId } from 'react';
import type { PlotFrame } from './plot-frame';

interface OverlayProps {
  width: number;
  height: number;
  className?: string;
  children: React.ReactNode;
}

/** A drawing over a chart that passes pointer events to the chart. */
export function Overlay({ className = '', ...rest }: OverlayProps) {
  return <svg {...rest} className={`pointer-events-none absolute inset-0 ${className}`} aria-hidden="true" />;
}

type LabelProps = Omit<React.SVGProps<SVGTextElement>, 'textAnchor'> & {
  /** Aligns the end of the text to x instead of its start. */
  isLeft?: boolean;
};

/** Text on a chart; chart.css has the classes. */
export function Label({ isLeft = false, className = '', ...rest }: LabelProps) {
  return <text textAnchor={isLeft ? 'end' : 'start'} className={`chart-label ${className}`} {...rest} />;
}

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
  names?: ReadonlyArray<{ id: string; text: string; x: number; y: number; isLeft: boolean }>;
}

/** Traces of sub-agents or of compared sides, as plain paths that are clipped to the plot. */
export function ThinTraces({ frame, traces, names = [] }: ThinTracesProps) {
  const clip = useId();
  if (traces.length === 0) return null;
  return (
    <Overlay width={frame.width} height={frame.height}>
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
      {names.map(({ id, text, ...place }) => (
        <Label key={id} {...place} className="chart-quiet chart-halo">
          {text}
        </Label>
      ))}
    </Overlay>
  );
}
