'use client';
import { memo, useMemo, useRef } from 'react';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { hatchPath, tornEdgePath } from '../../../charts/torn-edge';
import { formatClock } from '../../../format/format-time';
import { formatExact, formatTokens } from '../../../format/format-tokens';
import { prepareContextTrace } from './prepare-context-trace';
import { useMeasuredHeight } from './use-measured-height';

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

/** Context size along the file; the band marks what is on screen and can be dragged. */
export function ContextTrace({ outline, seen, zone, go }: ContextTraceProps) {
  const box = useRef<HTMLDivElement>(null);
  const height = useMeasuredHeight(box);
  const plot = Math.max(0, height - TOP - 8);
  const trace = useMemo(() => prepareContextTrace(outline, { width: WIDTH, height: plot }), [outline, plot]);
  const dragging = useRef(false);
  const top = Math.min(trace.y(seen.from), Math.max(0, plot - LEAST_BAND));
  const band = Math.max(LEAST_BAND, trace.y(seen.to + 1) - top);
  const place = (event: React.PointerEvent<HTMLElement>) => {
    const y = event.clientY - event.currentTarget.getBoundingClientRect().top - TOP;
    const share = Math.max(0, Math.min(1, y / Math.max(1, plot)));
    go(Math.min(outline.entries - 1, Math.floor(share * outline.entries)));
  };
  return (
    <div ref={box} className="context-trace">
      {height === 0 ? null : (
        <div
          className="absolute inset-0 touch-none"
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            dragging.current = true;
            place(event);
          }}
          onPointerMove={(event) => {
            if (dragging.current) place(event);
          }}
          onPointerUp={() => {
            dragging.current = false;
          }}
          onPointerCancel={() => {
            dragging.current = false;
          }}
        >
          <svg width={LEFT + WIDTH + 8} height={height} className="overflow-visible" aria-hidden="true">
            <g transform={`translate(${LEFT} ${TOP})`}>
              <rect x={-6} y={top} width={WIDTH + 12} height={band} fill="var(--sunken)" />
              <Plot trace={trace} limit={outline.window} height={plot} zone={zone} seed={outline.id} />
              <path
                d={`M-6 ${top}H${WIDTH + 6}M-6 ${top + band}H${WIDTH + 6}`}
                stroke="var(--ink)"
                fill="none"
              />
            </g>
          </svg>
          <input
            type="range"
            aria-label="Place in the transcript"
            aria-valuetext={`entry ${formatExact(seen.from + 1)} of ${formatExact(outline.entries)}`}
            min={0}
            max={Math.max(0, outline.entries - 1)}
            value={seen.from}
            step={1}
            onChange={(event) => go(Number(event.target.value))}
            className="trace-slider"
          />
        </div>
      )}
    </div>
  );
}

interface PlotProps {
  trace: ReturnType<typeof prepareContextTrace>;
  limit: number | null;
  height: number;
  zone: string;
  seed: string;
}

/** The part that scrolling does not change; it may have thousands of tears. */
const Plot = memo(function Plot({ trace, limit, height, zone, seed }: PlotProps) {
  return (
    <>
      {[0.5, 1].map((share) => (
        <path
          key={share}
          d={`M${Math.round(WIDTH * share) + 0.5} 0V${height}`}
          stroke="var(--hair)"
          fill="none"
        />
      ))}
      {limit !== null || trace.highest === 0 ? null : (
        <text
          x={trace.x(trace.highest)}
          y={-8}
          textAnchor="end"
          className="chart-label chart-num chart-muted"
        >
          {formatTokens(trace.highest)}
        </text>
      )}
      {limit === null ? null : (
        <>
          <path d={`M${Math.round(trace.x(limit)) + 0.5} 0V${height}`} stroke="var(--ink)" fill="none" />
          <text x={trace.x(limit)} y={-8} textAnchor="end" className="chart-label chart-num">
            {formatTokens(limit)}
          </text>
        </>
      )}
      {trace.times.map(({ y, at }) => (
        <text key={y} x={-10} y={y + 8} textAnchor="end" className="chart-label chart-num chart-muted">
          {formatClock(at, zone)}
        </text>
      ))}
      <path d={trace.path} fill="none" stroke="var(--ink)" strokeWidth="1.5" strokeLinejoin="miter" />
      {trace.compactions.map((compaction) => (
        <Tear key={compaction.entry} compaction={compaction} x={trace.x} seed={seed} />
      ))}
    </>
  );
});

interface TearProps {
  compaction: ReturnType<typeof prepareContextTrace>['compactions'][number];
  x: (tokens: number) => number;
  seed: string;
}

function Tear({ compaction: { y, entry, before, after }, x, seed }: TearProps) {
  return (
    <>
      <rect x={-6} y={y - 4.5} width={WIDTH + 12} height={9} fill="var(--paper)" />
      {[y - 4.5, y + 4.5].map((at) => (
        <path
          key={at}
          d={tornEdgePath({
            seed: `${seed} ${entry} ${at < y}`,
            from: -6,
            to: WIDTH + 6,
            at,
            direction: 'horizontal',
          })}
          stroke="var(--ink3)"
          strokeWidth="0.75"
          fill="none"
        />
      ))}
      {before === null || after === null || before <= after ? null : (
        <path
          d={hatchPath({ x: x(after), y: y - 4, width: x(before) - x(after), height: 8 })}
          stroke="var(--ink)"
          strokeWidth="0.9"
          fill="none"
        />
      )}
    </>
  );
}
