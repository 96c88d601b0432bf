import { memo } from 'react';
import type { RecentTrace, Session } from '@/core/api/session';
import { prepareTrace, tokensY } from './prepare-trace';

const ROW_TRACE_SPAN_MS = 60 * 60_000;
const LIVE_END_MS = 6.5 * 60_000;
const HEIGHT = 26;
/** The plot leaves room for the notch above it. */
const TOP = 2;
const PLOT = HEIGHT - TOP - 1;

interface RowTraceProps {
  session: Session;
  now: number;
  width: number;
}

/** The last hour of a row, with a notch at each fall. */
export const RowTrace = memo(function RowTrace({ session, now, width }: RowTraceProps) {
  const { limit, liveness, state, nextBoundary, used } = session;
  // A session that was quiet for the whole hour: its last value, long before the window.
  const trace: RecentTrace = session.trace.length === 0 && used !== null ? [[0, used, 0]] : session.trace;
  const { line, liveEnd, silence, unknown, drops } = prepareTrace({
    trace,
    limit,
    now,
    spanMs: ROW_TRACE_SPAN_MS,
    width,
    height: PLOT,
    liveEndMs: LIVE_END_MS,
    live: liveness === 'live',
  });
  const boundaryY =
    nextBoundary !== null && limit !== null && limit > 0 ? tokensY(nextBoundary.at, limit, PLOT) : null;
  return (
    <svg
      data-state={state}
      width={width}
      height={HEIGHT}
      viewBox={`0 ${-TOP} ${width} ${HEIGHT}`}
      fill="none"
      className="row-trace"
      {...(boundaryY === null
        ? {}
        : { style: { '--boundary': `${Math.round(TOP + boundaryY - 0.5)}px` } as React.CSSProperties })}
      aria-hidden="true"
    >
      {drops.map(({ x, from, to }) => (
        <g key={x}>
          <path d={`M${x} ${from}V${to}`} stroke="var(--ink2)" strokeDasharray="1 2" />
          <path d={`M${x - 3} ${-TOP}h6l-3 4z`} fill="var(--ink2)" />
        </g>
      ))}
      <path d={line} stroke="var(--ink)" strokeWidth="1.25" />
      {silence === '' ? null : (
        <path d={silence} stroke="var(--ink3)" strokeWidth="1.25" strokeDasharray="1.5 2.5" />
      )}
      {unknown === '' ? null : (
        <path d={unknown} stroke="var(--ink2)" strokeWidth="1.25" strokeDasharray="2 2" />
      )}
      {liveEnd === '' ? null : <path d={liveEnd} stroke="var(--mark)" strokeWidth="2.25" />}
    </svg>
  );
});
