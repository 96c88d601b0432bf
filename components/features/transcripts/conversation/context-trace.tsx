'use client';
import { memo, useMemo, useRef } from 'react';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { formatClock } from '../../../format/format-time';
import { formatExact, formatTokens } from '../../../format/format-tokens';
import { prepareContextTrace } from './prepare-context-trace';
import { heightOf, useMeasured } from './use-measured';

interface ContextTraceProps {
  outline: TranscriptOutline;
  /** Entries on screen, both ends included. */
  seen: { from: number; to: number };
  zone: string;
  go: (entry: number) => void;
}

const WIDTH = 132;
const LEFT = 50;
const TOP = 22;
const LEAST_BAND = 6;
/** Room of the label, which ends at its line. */
const LABEL = 64;
/** A slider for the keyboard. The slider is invisible, because the band shows its value. */
const SLIDER =
  'pointer-events-none absolute top-[22px] bottom-[8px] left-[44px] h-[calc(100%-30px)] w-[144px] appearance-none bg-transparent [writing-mode:vertical-lr] [&::-moz-range-thumb]:opacity-0 [&::-webkit-slider-thumb]:size-px [&::-webkit-slider-thumb]:appearance-none';

/** Context size along the file; the band marks what is on screen and can be dragged. */
export function ContextTrace({ outline, seen, zone, go }: ContextTraceProps) {
  const box = useRef<HTMLDivElement>(null);
  const height = useMeasured(box, heightOf);
  const plot = Math.max(0, height - TOP - 8);
  const trace = useMemo(() => prepareContextTrace(outline, { width: WIDTH, height: plot }), [outline, plot]);
  const top = Math.min(trace.y(seen.from), Math.max(0, plot - LEAST_BAND));
  const band = Math.max(LEAST_BAND, trace.y(seen.to + 1) - top);
  const place = (event: React.PointerEvent<HTMLElement>) => {
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top - TOP;
    const share = Math.max(0, Math.min(1, y / Math.max(1, plot)));
    go(Math.min(outline.entries - 1, Math.floor(share * outline.entries)));
  };
  return (
    <div ref={box} className="relative h-full">
      {height === 0 ? null : (
        <div
          className="absolute inset-0 cursor-default touch-none"
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            place(event);
          }}
          onPointerMove={(event) => {
            if (event.currentTarget.hasPointerCapture(event.pointerId)) place(event);
          }}
        >
          <svg width={LEFT + WIDTH + 8} height={height} className="overflow-visible" aria-hidden="true">
            <g transform={`translate(${LEFT} ${TOP})`}>
              <rect x={-6} y={top} width={WIDTH + 12} height={band} fill="var(--sunken)" />
              <Plot trace={trace} limit={outline.window} height={plot} zone={zone} />
              <path d={`M-6 ${top}H${WIDTH + 6}M-6 ${top + band}H${WIDTH + 6}`} stroke="var(--ink)" />
            </g>
          </svg>
          <input
            type="range"
            aria-label="Place in the transcript"
            aria-valuetext={`entry ${formatExact(seen.from + 1)} of ${formatExact(outline.entries)}`}
            min={0}
            max={Math.max(0, outline.entries - 1)}
            value={seen.from}
            onChange={(event) => go(Number(event.target.value))}
            className={SLIDER}
          />
        </div>
      )}
    </div>
  );
}

interface PlotProps {
  trace: ReturnType<typeof prepareContextTrace>;
  /** Tokens; null: not known. */
  limit: number | null;
  height: number;
  zone: string;
}

/** Memoised: scrolling does not change it. */
const Plot = memo(function Plot({ trace, limit, height, zone }: PlotProps) {
  const { x, path, gaps, edges, hatches } = trace;
  const { torn, highest } = trace;
  const word = torn !== null ? 'compacted at' : limit !== null ? 'limit' : 'peak';
  const top = torn ?? limit ?? highest;
  const rule = (at: number) => `M${Math.round(at) + 0.5} 0V${height}`;
  return (
    <>
      <path d={rule(WIDTH / 2) + rule(WIDTH)} stroke="var(--hair)" />
      {limit === null ? null : <path d={rule(x(limit))} stroke="var(--hair2)" />}
      {top === 0 ? null : (
        <>
          {word === 'peak' ? null : <path d={rule(x(top))} stroke="var(--ink)" />}
          <text x={Math.max(x(top), LABEL)} y={-8} textAnchor="end" className="chart-label">
            {word} <tspan className="chart-num">{formatTokens(top)}</tspan>
          </text>
        </>
      )}
      {trace.times.map(({ y, at }) => (
        <text key={y} x={-10} y={y + 8} textAnchor="end" className="chart-label chart-num chart-quiet">
          {formatClock(at, zone)}
        </text>
      ))}
      <g fill="none" stroke="var(--ink)">
        <path d={path} strokeWidth="1.5" strokeLinejoin="miter" />
        <path d={gaps} fill="var(--paper)" stroke="none" />
        <path d={edges} stroke="var(--ink3)" strokeWidth="0.75" />
        <path d={hatches} strokeWidth="0.9" />
      </g>
    </>
  );
});
