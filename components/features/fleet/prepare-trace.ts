/** The last minutes of a session as path data for small charts. */
import type { RecentTrace, Session } from '@/core/api/session';
import { cutTail, px, stepPath, type TracePixel } from '../../charts/trace-path';
import { AXIS_END } from '../../sessions/fleet-query';

interface TraceInput {
  trace: RecentTrace;
  /** Tokens that are 100 %; null: the trace is scaled to its own highest value. */
  limit: number | null;
  /** The server's time at the right end, milliseconds. */
  now: number;
  /** Time left of now, milliseconds. */
  spanMs: number;
  width: number;
  height: number;
  /** The newest stretch that is drawn thicker, milliseconds. */
  liveEndMs: number;
  /** False: the line ends with the last turn and continues dotted. */
  live: boolean;
}

export interface PreparedTrace {
  line: string;
  liveEnd: string;
  /** Dotted: no turns since. */
  silence: string;
  /** Dashed: the value is unknown, drawn at the last one known. */
  unknown: string;
  /** Falls at a boundary: x and both heights, pixels. */
  drops: Array<{ x: number; from: number; to: number }>;
}

/** Height of a token count, pixels from the top; beyond the axis it stays at its end. */
export function tokensY(tokens: number, limit: number, height: number): number {
  return px(height - Math.min(1, (tokens * 100) / limit / AXIS_END) * height);
}

const HOUR_MS = 3_600_000;

/** The last hour of a session, and the height of its next boundary. */
export function hourTrace(
  { trace, used, limit, liveness, nextBoundary }: Session,
  now: number,
  width: number,
  height: number,
): PreparedTrace & { boundaryY: number | null } {
  const prepared = prepareTrace({
    // Quiet for the whole hour: its last value, long before the window.
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
      // Before the window: only the value at its left edge is kept.
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
