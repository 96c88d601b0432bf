import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { prepareTrace, tokensY } from '../prepare-trace';

const SPAN_MS = 60 * 60_000;
const LIVE_END_MS = 6.5 * 60_000;
/** Stretched to the card; strokes are not. */
const WIDTH = 424;
const HEIGHT = 70;

/** The last hour of a card: the same scale of pressure as everywhere. */
export const WallTrace = memo(function WallTrace({ session, now }: { session: Session; now: number }) {
  const { limit, nextBoundary, state, liveness, used } = session;
  const { line, liveEnd, silence, unknown, drops } = prepareTrace({
    // A session that was quiet for the whole hour: its last value, long before the window.
    trace: session.trace.length === 0 && used !== null ? [[0, used, 0]] : session.trace,
    limit,
    now,
    spanMs: SPAN_MS,
    width: WIDTH,
    height: HEIGHT,
    liveEndMs: LIVE_END_MS,
    live: liveness === 'live',
  });
  const boundaryY =
    nextBoundary !== null && limit !== null && limit > 0 ? tokensY(nextBoundary.at, limit, HEIGHT) : null;
  return (
    <svg
      data-state={state}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      fill="none"
      className="wall-trace"
      aria-hidden="true"
    >
      <path className="hairline" d={`M0 ${HEIGHT}H${WIDTH}`} stroke="var(--hair)" />
      {boundaryY === null ? null : (
        <path className="hairline" d={`M0 ${boundaryY}H${WIDTH}`} stroke="var(--ink3)" />
      )}
      {drops.map(({ x, from, to }) => (
        <path
          key={x}
          className="hairline"
          d={`M${x} ${from}V${to}`}
          stroke="var(--ink2)"
          strokeDasharray="2 3"
        />
      ))}
      <path d={line} stroke="var(--ink)" />
      {silence === '' ? null : <path d={silence} stroke="var(--ink3)" strokeDasharray="3 5" />}
      {unknown === '' ? null : <path d={unknown} stroke="var(--ink2)" strokeDasharray="4 4" />}
      {liveEnd === '' ? null : <path className="live-end" d={liveEnd} stroke="var(--mark)" />}
    </svg>
  );
});
