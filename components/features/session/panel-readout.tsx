import type { SeriesPoint } from '@/core/api/series';
import { formatTokens } from '../../format/format-tokens';
import type { PlacedPanel } from './place-panels';
import { TELEMETRY_PANELS } from './telemetry-panels';

interface PanelReadoutProps {
  panel: PlacedPanel;
  point: SeriesPoint;
  /** The crosshair, pixels. */
  x: number;
  /** Text that would overflow this is at its left. */
  right: number;
}

/** Tokens of the turn under the crosshair and the sums so far. */
export function PanelReadout({ panel, point, x, right }: PanelReadoutProps) {
  const kind = TELEMETRY_PANELS.find(({ id }) => id === panel.id);
  if (!kind || point.turns <= 0) return null;
  const isLeft = x > right - 130;
  return [
    { side: kind.up, y: panel.plotTop + 9 },
    { side: kind.down, y: panel.plotBottom - 2 },
  ].map(({ side, y }) => {
    const spent = side.pick(point) / point.turns;
    const total = side.total(point);
    if (spent <= 0 && total === null) return null;
    return (
      <text
        key={side.name}
        x={x + (isLeft ? -6 : 6)}
        y={y}
        textAnchor={isLeft ? 'end' : 'start'}
        className="chart-label chart-halo"
      >
        <tspan className="chart-num">{formatTokens(spent, { fine: true })}</tspan>
        {total === null ? null : (
          <tspan dx={6} className="chart-quiet">
            <tspan className="chart-num">{formatTokens(total)}</tspan> so far
          </tspan>
        )}
      </text>
    );
  });
}
