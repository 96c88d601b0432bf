import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { hourTrace, type PreparedTrace } from './prepare-trace';

interface TraceLinesProps {
  trace: PreparedTrace;
  line: string;
  liveEnd: string;
  dashed: string;
  fall?: string;
  scale?: number;
}

/** The lines of a small chart. They keep their width where the chart is stretched. */
export function TraceLines({ trace, line, liveEnd, dashed, fall = '1', scale = 1 }: TraceLinesProps) {
  const dash = (length: number, gap: number) => `${length * scale} ${gap * scale}`;
  const falls = trace.drops.map(({ x, from, to }) => `M${x} ${from}V${to}`).join('');
  const paths = [
    { d: falls, stroke: 'var(--ink2)', strokeWidth: fall, strokeDasharray: dash(1, 2) },
    { d: trace.line, stroke: 'var(--ink)', strokeWidth: line },
    { d: trace.silence, stroke: 'var(--ink3)', strokeWidth: dashed, strokeDasharray: dash(1.5, 2.5) },
    { d: trace.unknown, stroke: 'var(--ink2)', strokeWidth: dashed, strokeDasharray: dash(2, 2) },
    { d: trace.liveEnd, stroke: 'var(--mark)', strokeWidth: liveEnd },
  ];
  return paths.map(({ d, ...style }) =>
    d === '' ? null : <path key={d} d={d} style={style} vectorEffect="non-scaling-stroke" />,
  );
}

const HEIGHT = 26;
/** The plot leaves room for the notch above it. */
const TOP = 2;
const PLOT = HEIGHT - TOP - 1;

/** The last hour of a row, with a notch at each fall. */
export const RowTrace = memo(function RowTrace(props: { session: Session; now: number; width: number }) {
  const { session, now, width } = props;
  const { boundaryY, ...trace } = hourTrace(session, now, width, PLOT);
  return (
    <svg
      data-state={session.state}
      width={width}
      height={HEIGHT}
      viewBox={`0 ${-TOP} ${width} ${HEIGHT}`}
      fill="none"
      className="row-trace"
      style={
        boundaryY === null
          ? {}
          : ({ '--boundary': `${Math.round(TOP + boundaryY - 0.5)}px` } as React.CSSProperties)
      }
      aria-hidden="true"
    >
      <TraceLines trace={trace} line="1.25" liveEnd="2.25" dashed="1.25" />
      <path d={trace.drops.map(({ x }) => `M${x - 3} ${-TOP}h6l-3 4z`).join('')} fill="var(--ink2)" />
    </svg>
  );
});
