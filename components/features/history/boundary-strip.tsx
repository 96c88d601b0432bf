import { AXIS_WORDS_GAP } from '../../charts/plot-frame';
import { hatchPath } from '../../charts/torn-edge';
import { px } from '../../charts/trace-path';
import type { HistorySheet } from './prepare-history';

const WIDEST = 9;
/** One among hundreds is still to be seen. */
const LEAST = 3;

/**
 * Boundaries as they are drawn on the barogram: compactions hatched, upwards; restarts double rules, downwards.
 * A notch marks a slot in which a session thrashed.
 */
export function BoundaryStrip({ sheet: { slots, panels } }: { sheet: HistorySheet }) {
  const { frame, yTicks } = panels.boundaries;
  const zero = px(frame.y(0));
  let [hatches, edges, rules, notches] = ['', '', '', ''];
  for (const { from, to, point } of slots) {
    const left = frame.x(from);
    const room = frame.x(to) - left;
    const width = Math.max(2, Math.min(WIDEST, room - 1));
    const middle = px(left + room / 2);
    if (point.compactions > 0) {
      const y = px(Math.min(frame.y(point.compactions), frame.y(0) - LEAST));
      const x = px(middle - width / 2);
      if (width < 3) edges += `M${middle} ${zero}V${y}`;
      else {
        hatches += hatchPath({ x, y, width, height: px(zero - y), spacing: 3 });
        edges += `M${x} ${zero}V${y}h${width}V${zero}`;
      }
    }
    if (point.restarts > 0) {
      const end = px(Math.max(frame.y(-point.restarts), frame.y(0) + LEAST));
      for (const offset of width < 5 ? [0] : [-1.75, 1.75]) rules += `M${px(middle + offset)} ${zero}V${end}`;
    }
    if (point.thrashes > 0) {
      notches += `M${middle - 3} ${px(Math.max(frame.top - 2, frame.y(point.compactions) - 7))}h6l-3 5z`;
    }
  }
  return (
    <svg width={frame.width} height={frame.height} className="block overflow-visible" aria-hidden="true">
      <path
        d={`M${frame.left} ${frame.top}H${frame.right}M${frame.left} ${frame.bottom}H${frame.right}`}
        stroke="var(--hair)"
      />
      <path d={hatches} stroke="var(--ink)" strokeWidth={0.9} fill="none" />
      <path d={edges} stroke="var(--ink)" strokeWidth={0.75} fill="none" />
      <path d={rules} stroke="var(--ink)" fill="none" />
      <path d={notches} fill="var(--ink)" />
      <path d={`M${frame.left} ${zero}H${frame.right}`} stroke="var(--hair2)" />
      {yTicks.map((value) => (
        <text
          key={value}
          x={frame.left - AXIS_WORDS_GAP}
          y={frame.y(value)}
          dy="0.32em"
          textAnchor="end"
          className="chart-tick"
        >
          {Math.abs(value)}
        </text>
      ))}
    </svg>
  );
}
