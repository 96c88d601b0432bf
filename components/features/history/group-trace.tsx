import type { HistoryPoint } from '@/core/api/history';
import { px } from '../../charts/trace-path';
import { AXIS_END } from '../../sessions/fleet-query';

interface GroupTraceProps {
  points: readonly HistoryPoint[];
  /** Milliseconds. */
  from: number;
  to: number;
  /** The server's time: a slot that ends later is not over. */
  now: number;
}

const WIDTH = 200;
const HEIGHT = 24;
/** Notches stand above the plot. */
const TOP = 3;

/**
 * Peaks of one group over the range, on the one pressure axis, with a notch where it met boundaries. The slot that is not
 * over is drawn apart, as in the panels above.
 */
export function GroupTrace({ points, from, to, now }: GroupTraceProps) {
  const x = (at: string) => px(((Date.parse(at) - from) / (to - from)) * WIDTH);
  const y = (peak: number) => px(HEIGHT - Math.min(1, (peak * 100) / AXIS_END) * HEIGHT);
  let trace = '';
  let soFar = '';
  let open: { to: string; y: number } | null = null;
  const notches: string[] = [];
  for (const point of points) {
    if (point.compactions + point.restarts > 0) notches.push(`M${x(point.from)} ${-TOP}v2.5`);
    if (point.peak === null) {
      open = null;
      continue;
    }
    const height = y(point.peak);
    if (Date.parse(point.to) > now) {
      soFar = `M${x(point.from)} ${height}H${x(point.to)}`;
      open = null;
      continue;
    }
    trace += open?.to === point.from ? `V${height}` : `M${x(point.from)} ${height}`;
    trace += `H${x(point.to)}`;
    open = { to: point.to, y: height };
  }
  return (
    <svg
      viewBox={`0 ${-TOP} ${WIDTH} ${HEIGHT + TOP + 1}`}
      preserveAspectRatio="none"
      fill="none"
      className="block h-[28px] w-full"
      aria-hidden="true"
    >
      <path d={`M0 ${y(1)}H${WIDTH}`} stroke="var(--hair2)" vectorEffect="non-scaling-stroke" />
      <path d={`M0 ${HEIGHT + 0.5}H${WIDTH}`} stroke="var(--hair)" vectorEffect="non-scaling-stroke" />
      <path d={notches.join('')} stroke="var(--ink2)" vectorEffect="non-scaling-stroke" />
      <path d={trace} stroke="var(--ink)" strokeWidth="1.25" vectorEffect="non-scaling-stroke" />
      <path
        d={soFar}
        stroke="var(--ink2)"
        strokeWidth="1.25"
        strokeDasharray="2 2"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
