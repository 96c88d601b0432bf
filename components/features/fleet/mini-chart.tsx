import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { prepareCone } from '../../charts/prepare-cone';
import { boundaryWord } from '../../format/boundary-words';
import { isCompacting } from '../../format/compacting';
import { formatTokens } from '../../format/format-tokens';
import { AXIS_END } from '../../sessions/fleet-query';
import { gridShares, wholeHeight } from './chart-floor';
import { prepareTrace, tokensY } from './prepare-trace';

/** Minutes left of now. */
export const BEFORE_MIN = 12;
const AFTER_MIN = 6;
const WIDTH = 236;
const HEIGHT = 112;
const NOW_X = (WIDTH * BEFORE_MIN) / (BEFORE_MIN + AFTER_MIN);
const PX_PER_MINUTE = NOW_X / BEFORE_MIN;
const LIVE_END_MS = 3.2 * 60_000;

interface MiniChartProps {
  session: Session;
  now: number;
  /** `now`, or the time of the lost connection. */
  nowLabel: string;
  /** Share of the limit at the foot. */
  floor: number;
}

/** The last 12 minutes, and the next 6: the cone that opens towards the boundary. */
export const MiniChart = memo(function MiniChart({ session, now, nowLabel, floor }: MiniChartProps) {
  const { trace, limit, nextBoundary, forecast, state, used } = session;
  if (limit === null || limit <= 0 || nextBoundary === null) return null;
  // What lies below the floor is cut off at the foot of the drawing.
  const height = wholeHeight(HEIGHT, floor, AXIS_END / 100);
  const { line, liveEnd, unknown, drops } = prepareTrace({
    trace,
    limit,
    now,
    spanMs: BEFORE_MIN * 60_000,
    width: NOW_X,
    height,
    liveEndMs: LIVE_END_MS,
    live: true,
  });
  const boundaryY = tokensY(nextBoundary.at, limit, height);
  const minutes = isCompacting(session) ? null : (forecast?.minutes ?? null);
  const after = (count: number) => NOW_X + count * PX_PER_MINUTE;
  const cone =
    used === null || minutes === null
      ? null
      : prepareCone({
          x: NOW_X,
          y: tokensY(used, limit, height),
          boundaryY,
          lowX: after(minutes.low),
          midX: after(minutes.mid),
          highX: after(minutes.high),
          right: WIDTH,
        });
  const fine = { vectorEffect: 'non-scaling-stroke' } as const;
  return (
    <figure
      data-state={state}
      className="mini relative h-full"
      title="Tokens of the last 12 minutes, then the forecast with its 80 % range at the boundary"
    >
      {gridShares(floor).map((share) => (
        <span
          key={share}
          className="share num absolute left-0 text-small text-ink2"
          style={{ top: `calc((100% - 18px) * ${tokensY(share, 1, height) / HEIGHT} - 8px)` }}
          aria-hidden="true"
        >
          {share * 100}
          {share === 1 ? ' %' : null}
        </span>
      ))}
      <div className="plot relative h-full">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          fill="none"
          className="block h-[calc(100%-18px)] w-full"
          aria-hidden="true"
        >
          {gridShares(floor).map((share) => (
            <path key={share} d={`M0 ${tokensY(share, 1, height)}H${WIDTH}`} stroke="var(--hair)" {...fine} />
          ))}
          <path d={`M${NOW_X} 0V${HEIGHT}`} stroke="var(--hair2)" {...fine} />
          <path d={`M0 ${boundaryY}H${WIDTH}`} stroke="var(--ink)" {...fine} />
          {drops.map(({ x, from, to }) => (
            <path key={x} d={`M${x} ${from}V${to}`} stroke="var(--ink2)" strokeDasharray="1 2" {...fine} />
          ))}
          <path d={line} stroke="var(--ink)" strokeWidth="1.75" {...fine} />
          <path d={unknown} stroke="var(--ink2)" strokeWidth="1.25" strokeDasharray="2 2" {...fine} />
          <path d={liveEnd} stroke="var(--mark)" strokeWidth="3" {...fine} />
          {cone === null ? null : (
            <>
              <path d={cone.fill} fill="var(--mark)" fillOpacity="0.12" />
              <path d={cone.edges} stroke="var(--mark)" strokeWidth="0.75" strokeDasharray="2 2" {...fine} />
            </>
          )}
          {cone?.meets == null ? null : (
            <path
              d={`M${cone.meets.from} ${boundaryY}H${cone.meets.to}`}
              stroke="var(--mark)"
              strokeWidth="3"
              {...fine}
            />
          )}
        </svg>
        <span
          className="absolute right-0 bg-paper pl-[3px] text-small"
          style={{ top: `calc((100% - 18px) * ${boundaryY / HEIGHT} - 17px)` }}
        >
          <span className="word">{boundaryWord(nextBoundary)} </span>
          <span className="num">{formatTokens(nextBoundary.at)}</span>
        </span>
        <div className="num absolute inset-x-0 bottom-0 h-[16px] text-small text-ink2" aria-hidden="true">
          <span className="absolute left-0">−{BEFORE_MIN}</span>
          <span className="absolute -translate-x-1/2" style={{ left: `${(NOW_X / WIDTH) * 100}%` }}>
            {nowLabel}
          </span>
          <span className="absolute right-0">
            +{AFTER_MIN}
            <span className="unit"> min</span>
          </span>
        </div>
      </div>
    </figure>
  );
});
