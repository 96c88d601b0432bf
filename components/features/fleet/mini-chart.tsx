import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { boundaryWord } from '../../format/boundary-words';
import { formatTokens } from '../../format/format-tokens';
import { AXIS_END } from '../../sessions/fleet-query';
import { ForecastCone } from './forecast-cone';
import { prepareTrace, TraceLines, tokensY } from './trace';

const MINUTE_MS = 60_000;
const BEFORE = 12;
const AFTER = 6;
const WIDTH = 236;
const HEIGHT = 112;
const NOW_X = (WIDTH * BEFORE) / (BEFORE + AFTER);
const PX_PER_MINUTE = NOW_X / BEFORE;

const HIGH_FLOOR = 0.5;

/** Share of the limit at the bottom of all charts: 0.5 if no chart shows a lower value, else 0. */
export function chartFloor(sessions: readonly Session[], now: number): number {
  const since = now - BEFORE * MINUTE_MS;
  const isHigh = sessions.every(({ trace, limit, used }) => {
    if (limit === null) return false;
    // The last value before the window is drawn at the left edge.
    const first = trace.findIndex(([seconds]) => seconds * 1_000 >= since);
    const shown = first === -1 ? trace.slice(-1) : trace.slice(Math.max(0, first - 1));
    return [used, ...shown.map(([, value]) => value)].every(
      (value) => value === null || value >= limit * HIGH_FLOOR,
    );
  });
  return isHigh ? HIGH_FLOOR : 0;
}

interface MiniChartProps {
  session: Session;
  now: number;
  /** `now`, or the time when the connection was lost. */
  nowLabel: string;
  floor: number;
}

/** The last 12 minutes, and the forecast of the next 6. */
export const MiniChart = memo(function MiniChart({ session, now, nowLabel, floor }: MiniChartProps) {
  const { trace, limit, nextBoundary, state } = session;
  if (limit === null || limit <= 0 || nextBoundary === null) return null;
  const height = (HEIGHT * AXIS_END) / (AXIS_END - floor * 100);
  const y = (tokens: number) => tokensY(tokens, limit, height);
  const prepared = prepareTrace({
    trace,
    limit,
    now,
    spanMs: BEFORE * MINUTE_MS,
    width: NOW_X,
    height,
    liveEndMs: 3.2 * MINUTE_MS,
    live: true,
  });
  const boundaryY = y(nextBoundary.at);
  const grid = (floor > 0 ? [0.5, 0.75, 1] : [0, 0.5, 1]).map((share) => ({ share, y: y(share * limit) }));
  const below = (px: number, offset: number) => ({
    top: `calc((100% - 18px) * ${px / HEIGHT} - ${offset}px)`,
  });
  return (
    <figure
      data-state={state}
      className="relative h-full"
      title="Tokens of the last 12 minutes, then the forecast with its 80 % range at the boundary"
    >
      {grid.map(({ share, y }) => (
        <span
          key={share}
          className="num absolute left-0 w-[33px] text-right text-small text-ink2"
          style={below(y, 8)}
          aria-hidden="true"
        >
          {share * 100}
          {share === 1 ? ' %' : null}
        </span>
      ))}
      <div className="relative ml-[38px] h-full">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          fill="none"
          className="block h-[calc(100%-18px)] w-full [&_path]:[vector-effect:non-scaling-stroke]"
          aria-hidden="true"
        >
          <path d={grid.map(({ y }) => `M0 ${y}H${WIDTH}`).join('')} stroke="var(--hair)" />
          <path d={`M${NOW_X} 0V${HEIGHT}`} stroke="var(--hair2)" />
          <path d={`M0 ${boundaryY}H${WIDTH}`} stroke="var(--ink)" />
          <TraceLines trace={prepared} line="1.75" liveEnd="3" dashed="1.25" />
          <ForecastCone
            session={session}
            nowX={NOW_X}
            right={WIDTH}
            perMinute={PX_PER_MINUTE}
            height={height}
            line={3}
          />
        </svg>
        <span className="absolute right-0 bg-paper pl-[3px] text-small" style={below(boundaryY, 17)}>
          <span className="hidden @min-[260px]:inline">{boundaryWord(nextBoundary)} </span>
          <span className="num">{formatTokens(nextBoundary.at)}</span>
        </span>
        <div className="num absolute inset-x-0 bottom-0 h-[16px] text-small text-ink2" aria-hidden="true">
          <span className="absolute left-0">−{BEFORE}</span>
          <span className="absolute -translate-x-1/2" style={{ left: `${(NOW_X / WIDTH) * 100}%` }}>
            {nowLabel}
          </span>
          <span className="absolute right-0">
            +{AFTER}
            <span className="@max-[208.01px]:hidden"> min</span>
          </span>
        </div>
      </div>
    </figure>
  );
});
