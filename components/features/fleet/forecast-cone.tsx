import type { Session } from '@/core/api/session';
import { prepareCone } from '../../charts/prepare-cone';
import { isCompacting } from '../../format/session-words';
import { tokensY } from './trace';

interface ForecastConeProps {
  session: Session;
  /** Positions of the trace's end and of the right edge, and the width of one minute, in pixels. */
  nowX: number;
  right: number;
  perMinute: number;
  /** Height of the pressure axis, pixels. */
  height: number;
  /** Width of the line at the boundary. */
  line: number | string;
}

/** Draws the forecast time to the next boundary as a cone. Draws nothing without a forecast. */
export function ForecastCone({ session, nowX, right, perMinute, height, line }: ForecastConeProps) {
  const { used, limit, nextBoundary, forecast, liveness } = session;
  const minutes = forecast?.minutes;
  if (minutes == null || used === null || !limit || nextBoundary === null) return null;
  if (isCompacting(session) || liveness !== 'live') return null;
  const boundaryY = tokensY(nextBoundary.at, limit, height);
  const after = (count: number) => nowX + count * perMinute;
  const cone = prepareCone({
    x: nowX,
    y: tokensY(used, limit, height),
    boundaryY,
    lowX: after(minutes.low),
    midX: after(minutes.mid),
    highX: after(minutes.high),
    right,
  });
  return (
    <g stroke="var(--mark)">
      <path d={cone.fill} stroke="none" fill="var(--mark)" fillOpacity="0.12" />
      <path d={cone.edges} strokeWidth="0.75" strokeDasharray="2 2" vectorEffect="non-scaling-stroke" />
      {cone.meets === null ? null : (
        <path
          d={`M${cone.meets.from} ${boundaryY}H${cone.meets.to}`}
          style={{ strokeWidth: line }}
          vectorEffect="non-scaling-stroke"
        />
      )}
    </g>
  );
}
