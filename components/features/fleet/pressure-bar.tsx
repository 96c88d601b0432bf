import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { hatchPath } from '../../charts/torn-edge';
import { isBeyond, pressureX } from './prepare-barcode';

const WIDTH = 160;
const HEIGHT = 24;
const MIDDLE = HEIGHT / 2;
const LIMIT_X = pressureX(1, WIDTH);

/** Unknown and untracked: a hatched outline from 0 to the limit. */
const HATCH = hatchPath({ x: 0, y: MIDDLE - 3.5, width: LIMIT_X, height: 7, spacing: 5 });

/**
 * Pressure on the axis of 0 to 110 %, with a tick at the next boundary. The axis is a background (fleet.css). The bar
 * is hollow for an assumed limit, dashed for an estimate, and pale unless the session is live.
 */
export const PressureBar = memo(function PressureBar(props: { session: Session; className?: string }) {
  const { session, className = 'w-full' } = props;
  const { pressure, state, liveness, limit, limitSource, nextBoundary, estimated } = session;
  const isAssumed = limitSource === 'assumed';
  const isLive = liveness === 'live';
  const width = pressureX(pressure ?? 0, WIDTH);
  const boundaryX = nextBoundary && limit ? pressureX(nextBoundary.at / limit, WIDTH) : null;
  const bar = {
    stroke: 'var(--bar)',
    strokeDasharray: estimated ? '3 1.5' : undefined,
    opacity: isLive ? 1 : 0.45,
  };
  return (
    <svg
      data-state={state}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      data-assumed={isAssumed ? '' : undefined}
      className={`pressure-bar ${className}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {pressure === null || state === 'untracked' || state === 'unknown' ? (
        <g stroke="var(--ink3)" strokeWidth=".75" fill="none" opacity={isLive ? 1 : 0.6}>
          <rect x=".4" y={MIDDLE - 3.5} width={LIMIT_X - 0.4} height="7" fill="var(--paper)" />
          <path d={HATCH} />
        </g>
      ) : isAssumed ? (
        <rect
          x=".5"
          y={MIDDLE - 2}
          width={Math.max(0.5, width - 1)}
          height="4"
          fill="var(--paper)"
          vectorEffect="non-scaling-stroke"
          {...bar}
        />
      ) : (
        <>
          <path d={`M0 ${MIDDLE}H${Math.max(0.75, width)}`} strokeWidth="5" {...bar} />
          {isBeyond({ pressure }) ? (
            // Two cuts in the bar show that it continues past the axis.
            <path
              d={`M${width - 9} ${MIDDLE + 4}l3-8m1.5 8l3-8`}
              stroke="var(--paper)"
              strokeWidth="1.5"
              vectorEffect="non-scaling-stroke"
            />
          ) : null}
        </>
      )}
      {boundaryX === null ? null : (
        <path
          d={`M${boundaryX} ${MIDDLE - 8}v16`}
          stroke={isLive ? 'var(--ink)' : 'var(--ink3)'}
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
});
