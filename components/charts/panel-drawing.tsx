import { AXIS_WORDS_GAP, type PlotFrame } from './plot-frame';
import { roundTokens } from './prepare-axes';
import type { PanelStick, PreparedPanel } from './prepare-panel';
import { px, stepPath } from './trace-path';

interface PanelDrawingProps {
  /** With the panel's own y scale. */
  frame: PlotFrame;
  xDomain: readonly [number, number];
  panel: PreparedPanel;
}

/** Labels on the axis stay this far apart, pixels. */
const LABEL_GAP = 13;

/**
 * Sticks above and below one line, and the sums so far as thin steps that rise to the side's own edge. Plain
 * paths: three hundred sticks cost one element.
 */
export function PanelDrawing({ frame, xDomain, panel }: PanelDrawingProps) {
  const zero = frame.y(0);
  const ticks = [
    { value: panel.up.tick, y: frame.y(panel.up.tick) },
    { value: panel.down.tick, y: frame.y(-panel.down.tick) },
  ].filter(({ value, y }) => value > 0 && Math.abs(y - zero) >= LABEL_GAP);
  const inside = ({ x }: PanelStick) => x >= xDomain[0] && x <= xDomain[1];
  const sticks = (side: PanelStick[], sign: 1 | -1) =>
    side
      .filter(inside)
      .map(({ x, y }) => `M${px(frame.x(x))} ${px(zero)}V${px(frame.y(sign * y))}`)
      .join('');
  const sums = (side: PanelStick[], edge: number) =>
    stepPath(side.filter(inside).map(({ x, y }) => ({ x: frame.x(x), y: zero + (edge - zero) * y })));
  return (
    <svg width={frame.width} height={frame.height} className="block overflow-visible" aria-hidden="true">
      {ticks.map(({ y }) => (
        <line key={y} x1={frame.left} x2={frame.right} y1={y} y2={y} stroke="var(--hair)" />
      ))}
      {[{ value: 0, y: zero }, ...ticks].map(({ value, y }) => (
        <text
          key={y}
          x={frame.left - AXIS_WORDS_GAP}
          y={y}
          dy="0.355em"
          textAnchor="end"
          className="chart-tick"
        >
          {value === 0 ? '0' : roundTokens(value)}
        </text>
      ))}
      <path
        d={sticks(panel.up.sticks, 1) + sticks(panel.down.sticks, -1)}
        stroke="var(--ink2)"
        strokeOpacity={0.6}
        fill="none"
      />
      <line x1={frame.left} x2={frame.right} y1={zero} y2={zero} stroke="var(--ink)" />
      <path d={sums(panel.up.total, frame.top)} stroke="var(--ink)" strokeWidth={1.25} fill="none" />
      <path d={sums(panel.down.total, frame.bottom)} stroke="var(--ink)" strokeWidth={1.25} fill="none" />
    </svg>
  );
}
