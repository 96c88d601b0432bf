import { memo } from 'react';
import type { RecentTrace, Session } from '@/core/api/session';
import { cutTail, px, stepPath, type TracePixel } from '../../charts/trace-path';
import { AXIS_END } from '../../sessions/fleet-query';

interface TraceInput {
  trace: RecentTrace;
  /** Tokens; null: the scale ends 10 % above the highest value. */
  limit: number | null;
  /** The server's time at the right end, milliseconds. */
  now: number;
  /** Length of the time axis, milliseconds. */
  spanMs: number;
  width: number;
  height: number;
  /** Length of the thicker end, milliseconds. */
  liveEndMs: number;
  /** False: the line is dotted after the last turn. */
  live: boolean;
}

interface PreparedTrace {
  line: string;
  liveEnd: string;
  /** Dotted part after the last turn of a session that is not live. */
  silence: string;
  /** Dashed part at the last known value, while the value is unknown. */
  unknown: string;
  /** The drops at boundaries: the x and both heights of each drop, in pixels. */
  drops: Array<{ x: number; from: number; to: number }>;
}

/** Height at which an amount of tokens is drawn: pixels from the top, limited to the axis. */
export function tokensY(tokens: number, limit: number, height: number): number {
  return px(height - Math.min(1, (tokens * 100) / limit / AXIS_END) * height);
}

const HOUR_MS = 3_600_000;

/** The last hour of a session, and the y of its next boundary. */
export function hourTrace(
  { trace, used, limit, liveness, nextBoundary }: Session,
  now: number,
  width: number,
  height: number,
): PreparedTrace & { boundaryY: number | null } {
  const prepared = prepareTrace({
    // A session without turns in the hour keeps its last value.
    trace: trace.length === 0 && used !== null ? [[0, used, 0]] : trace,
    limit,
    now,
    spanMs: HOUR_MS,
    width,
    height,
    liveEndMs: 6.5 * 60_000,
    live: liveness === 'live',
  });
  const boundaryY = nextBoundary && limit ? tokensY(nextBoundary.at, limit, height) : null;
  return { ...prepared, boundaryY };
}

export function prepareTrace(input: TraceInput): PreparedTrace {
  const { trace, width, now, spanMs, live } = input;
  const scale = input.limit ?? Math.max(0, ...trace.map(([, used]) => used ?? 0)) * 1.1;
  if (scale <= 0) return { line: '', liveEnd: '', silence: '', unknown: '', drops: [] };
  const xOf = (seconds: number) => px(Math.min(width, ((seconds * 1000 - (now - spanMs)) / spanMs) * width));
  const pixels: TracePixel[] = [];
  const drops: PreparedTrace['drops'] = [];
  const unknown: string[] = [];
  let lastY: number | null = null;
  let unknownFrom: number | null = null;

  for (const [seconds, used, kind] of trace) {
    const x = xOf(seconds);
    const y = used === null ? null : tokensY(used, scale, input.height);
    if (x < 0) {
      // Only the last value before the window is kept, at the left edge.
      pixels.length = 0;
      if (y !== null) pixels.push({ x: 0, y });
      unknownFrom = y === null && lastY !== null ? 0 : null;
      lastY = y ?? lastY;
      continue;
    }
    if (unknownFrom !== null && y !== null && lastY !== null) {
      unknown.push(`M${unknownFrom} ${lastY}H${x}`);
      unknownFrom = null;
    }
    if (kind > 0 && lastY !== null && y !== null && y > lastY) drops.push({ x, from: lastY, to: y });
    if (y === null && lastY !== null) unknownFrom ??= Math.min(width, x + 1);
    lastY = y ?? lastY;
    pixels.push({ x, y, breakBefore: kind > 0 });
  }
  if (unknownFrom !== null && lastY !== null) unknown.push(`M${unknownFrom} ${lastY}H${width}`);

  const end = pixels.at(-1);
  const standing = end !== undefined && end.y !== null;
  const tailFrom = width - (input.liveEndMs / spanMs) * width;
  return {
    line: live && standing ? stepPath(pixels, width) : stepPath(pixels),
    liveEnd: live && standing ? stepPath(cutTail(pixels, tailFrom), width) : '',
    silence: !live && standing && end.x < width ? `M${end.x} ${end.y}H${width}` : '',
    unknown: unknown.join(''),
    drops,
  };
}

interface TraceLinesProps {
  trace: PreparedTrace;
  line: string;
  liveEnd: string;
  dashed: string;
  fall?: string;
  scale?: number;
}

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

/** Room for the notch. */
const TOP = 2;

interface RowTraceProps {
  session: Session;
  now: number;
  width: number;
  height: number;
}

export const RowTrace = memo(function RowTrace({ session, now, width, height }: RowTraceProps) {
  const { boundaryY, ...trace } = hourTrace(session, now, width, height - TOP - 1);
  return (
    <svg
      data-state={session.state}
      width={width}
      height={height}
      viewBox={`0 ${-TOP} ${width} ${height}`}
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
