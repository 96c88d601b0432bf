import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { hatchPath } from '../../charts/torn-edge';
import { pressureX } from './prepare-barcode';

const WIDTH = 160;
const HEIGHT = 24;
const MIDDLE = HEIGHT / 2;
const LIMIT_X = pressureX(1, WIDTH);

/** Unknown and untracked: a hatched outline from 0 to the limit, never an empty bar. */
const HATCH = hatchPath({ x: 0, y: MIDDLE - 3.5, width: LIMIT_X, height: 7, spacing: 5 });

interface BarProps {
  session: Session;
  className?: string;
}

/**
 * Pressure on the axis of 0 to 110 %: the gap between the bar and the next boundary's tick is what is left. The axis
 * itself is its ground (fleet.css): a long list draws it often, and it is the same in each row.
 * Hollow under an assumed limit, broken into dashes for an estimate, pale when idle.
 */
export const PressureBar = memo(function PressureBar({ session, className = 'w-full' }: BarProps) {
  const { pressure, state, liveness, limit, limitSource, nextBoundary, estimated } = session;
  const unread = pressure === null || state === 'untracked' || state === 'unknown';
  const boundaryX =
    nextBoundary !== null && limit !== null && limit > 0 ? pressureX(nextBoundary.at / limit, WIDTH) : null;
  return (
    <svg
      data-state={state}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      {...(limitSource === 'assumed' ? { 'data-assumed': '' } : {})}
      className={`pressure-bar ${className}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {unread ? (
        <g stroke="var(--ink3)" strokeWidth=".75" fill="none" opacity={liveness === 'live' ? 1 : 0.6}>
          <rect x=".4" y={MIDDLE - 3.5} width={LIMIT_X - 0.4} height="7" fill="var(--paper)" />
          <path d={HATCH} />
        </g>
      ) : (
        <Fill
          width={pressureX(pressure, WIDTH)}
          cut={pressure > 1.1}
          hollow={limitSource === 'assumed'}
          estimated={estimated}
          opacity={liveness === 'live' ? 1 : 0.45}
        />
      )}
      {boundaryX !== null ? (
        <path
          d={`M${boundaryX} ${MIDDLE - 8}v16`}
          stroke={liveness === 'live' ? 'var(--ink)' : 'var(--ink3)'}
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      ) : null}
    </svg>
  );
});

interface FillProps {
  width: number;
  /** Beyond the axis: two cuts say that the bar goes on. */
  cut: boolean;
  hollow: boolean;
  estimated: boolean;
  opacity: number;
}

function Fill({ width, cut, hollow, estimated, opacity }: FillProps) {
  if (hollow) {
    return (
      <rect
        x=".5"
        y={MIDDLE - 2}
        width={Math.max(0.5, width - 1)}
        height="4"
        fill="var(--paper)"
        stroke="var(--bar)"
        opacity={opacity}
        vectorEffect="non-scaling-stroke"
        {...(estimated ? { strokeDasharray: '3 1.5' } : {})}
      />
    );
  }
  return (
    <>
      <path
        d={`M0 ${MIDDLE}H${Math.max(0.75, width)}`}
        stroke="var(--bar)"
        strokeWidth="5"
        opacity={opacity}
        {...(estimated ? { strokeDasharray: '3 1.5' } : {})}
      />
      {cut ? (
        <path
          d={`M${width - 9} ${MIDDLE + 4}l3-8m1.5 8l3-8`}
          stroke="var(--paper)"
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      ) : null}
    </>
  );
}
