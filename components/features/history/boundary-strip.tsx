import { AXIS_WORDS_GAP, type PlotFrame } from '../../charts/plot-frame';
import { hatchPath } from '../../charts/torn-edge';
import { round, type Slot } from './prepare-history';

interface BoundaryStripProps {
  frame: PlotFrame;
  slots: readonly Slot[];
  most: number;
}

const WIDEST = 9;
/** One among hundreds is still to be seen. */
const LEAST = 3;

/**
 * Boundaries as they are drawn on the barogram: compactions hatched, upwards; restarts double rules, downwards.
 * A notch marks a slot in which a session thrashed.
 */
export function BoundaryStrip({ frame, slots, most }: BoundaryStripProps) {
  const hatches: string[] = [];
  const edges: string[] = [];
  const rules: string[] = [];
  const notches: string[] = [];
  for (const { from, to, point } of slots) {
    const left = frame.x(from);
    const room = frame.x(to) - left;
    const width = Math.max(2, Math.min(WIDEST, room - 1));
    const middle = round(left + room / 2);
    if (point.compactions > 0) {
      const y = Math.min(frame.y(point.compactions), frame.y(0) - LEAST);
      const box = { x: round(middle - width / 2), y: round(y), width, height: round(frame.y(0) - y) };
      if (width < 3) edges.push(`M${middle} ${round(frame.y(0))}V${box.y}`);
      else {
        hatches.push(hatchPath({ ...box, spacing: 3 }));
        edges.push(`M${box.x} ${round(frame.y(0))}V${box.y}h${width}V${round(frame.y(0))}`);
      }
    }
    if (point.restarts > 0) {
      const end = round(Math.max(frame.y(-point.restarts), frame.y(0) + LEAST));
      const offsets = width < 5 ? [0] : [-1.75, 1.75];
      for (const offset of offsets) rules.push(`M${round(middle + offset)} ${round(frame.y(0))}V${end}`);
    }
    if (point.thrashes > 0) {
      notches.push(
        `M${middle - 3} ${round(Math.max(frame.top - 2, frame.y(point.compactions) - 7))}h6l-3 5z`,
      );
    }
  }
  return (
    <svg width={frame.width} height={frame.height} className="block overflow-visible" aria-hidden="true">
      <path
        d={`M${frame.left} ${frame.top}H${frame.right}M${frame.left} ${frame.bottom}H${frame.right}`}
        stroke="var(--hair)"
      />
      <path d={hatches.join('')} stroke="var(--ink)" strokeWidth={0.9} fill="none" />
      <path d={edges.join('')} stroke="var(--ink)" strokeWidth={0.75} fill="none" />
      <path d={rules.join('')} stroke="var(--ink)" fill="none" />
      <path d={notches.join('')} fill="var(--ink)" />
      <path d={`M${frame.left} ${round(frame.y(0))}H${frame.right}`} stroke="var(--hair2)" />
      {[most, -most].map((value) => (
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
