import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { boundaryWord } from '../../format/boundary-words';
import { formatTokens } from '../../format/format-tokens';
import { ForecastCone } from './forecast-cone';
import { prepareTrace, TraceLines, tokensY } from './trace';

const MINUTE_MS = 60_000;
const BEFORE = 12;
const AFTER = 6;
const WIDTH = 236;
const HEIGHT = 112;
const NOW_X = (WIDTH * BEFORE) / (BEFORE + AFTER);
const PX_PER_MINUTE = NOW_X / BEFORE;

/** Grid lines, as shares of the limit. All cards have the same axis. */
const GRID = [0, 0.5, 1];

interface MiniChartProps {
  session: Session;
  now: number;
  /** `now`, or the time when the connection was lost. */
  nowLabel: string;
}

/** The last 12 minutes, and the forecast of the next 6. */
export const MiniChart = memo(function MiniChart({ session, now, nowLabel }: MiniChartProps) {
  const { trace, limit, nextBoundary, state } = session;
  if (limit === null || limit <= 0 || nextBoundary === null) return null;
  const prepared = prepareTrace({
    trace,
    limit,
    now,
    spanMs: BEFORE * MINUTE_MS,
    width: NOW_X,
    height: HEIGHT,
    liveEndMs: 3.2 * MINUTE_MS,
    live: true,
  });
  const boundaryY = tokensY(nextBoundary.at, limit, HEIGHT);
  const grid = GRID.map((share) => ({ share, y: tokensY(share, 1, HEIGHT) }));
  const below = (px: number, offset: number) => ({
    top: `calc((100% - 18px * var(--ui)) * ${px / HEIGHT} - ${offset}px * var(--ui))`,
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
          className="num absolute left-0 w-[calc(33px*var(--ui))] text-right text-small text-ink2"
          style={below(y, 8)}
          aria-hidden="true"
        >
          {share * 100}
          {share === 1 ? ' %' : null}
        </span>
      ))}
      <div className="relative ml-[calc(38px*var(--ui))] h-full">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          fill="none"
          className="block h-[calc(100%-18px*var(--ui))] w-full [&_path]:[vector-effect:non-scaling-stroke]"
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
            height={HEIGHT}
            line={3}
          />
        </svg>
        <span className="absolute right-0 bg-paper pl-[3px] text-small" style={below(boundaryY, 17)}>
          <span className="hidden @min-[260px]:inline">{boundaryWord(nextBoundary)} </span>
          <span className="num">{formatTokens(nextBoundary.at)}</span>
        </span>
        <div
          className="num absolute inset-x-0 bottom-0 h-[calc(16px*var(--ui))] text-small text-ink2"
          aria-hidden="true"
        >
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
