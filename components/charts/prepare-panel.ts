/**
 * A panel under the barogram: what each turn spent, as sticks above and below one line on one scale, and what
 * the sums so far. Telemetry, never part of pressure. Pure.
 */
import type { SeriesPoint } from '@/core/api/series';
import { type AxisKind, pointX } from './chart-scale';

export interface PanelSide {
  /** Tokens of one point: of a turn, or the sum of a bucket's turns. */
  pick: (point: SeriesPoint) => number;
  /** Tokens of the session up to and including the point; null: not known, or not shown. */
  total: (point: SeriesPoint) => number | null;
}

export interface PanelStick {
  x: number;
  /** Tokens per turn; the mean over the turns of a bucket. */
  y: number;
}

interface PreparedSide {
  /** One per turn that spent something. */
  sticks: PanelStick[];
  /** The largest stick, tokens. */
  peak: number;
  /** A round value at or below the peak, labelled on the axis; 0: nothing to label. */
  tick: number;
  /** The sum so far after each point, as a share of the last one; empty where it is not shown. */
  total: PanelStick[];
}

export interface PreparedPanel {
  up: PreparedSide;
  down: PreparedSide;
  /** Tokens from the lower to the upper edge; the lower one is negative. */
  domain: [number, number];
  /** Whether a stick may be the mean of several turns. */
  averaged: boolean;
}

/** Space beyond the longest stick. */
const HEADROOM = 1.12;
/** Neither side becomes so low that its line of sums could not be seen. */
const SMALLEST_SHARE = 0.2;

export function preparePanel(
  points: readonly SeriesPoint[],
  axis: AxisKind,
  sides: { up: PanelSide; down: PanelSide },
): PreparedPanel {
  const up = prepareSide(points, axis, sides.up);
  const down = prepareSide(points, axis, sides.down);
  const span = Math.max(up.peak + down.peak, 1) * HEADROOM;
  const upTop = Math.max(up.peak * HEADROOM, span * SMALLEST_SHARE);
  const downTop = Math.max(down.peak * HEADROOM, span * SMALLEST_SHARE);
  return { up, down, domain: [-downTop, upTop], averaged: points.some((point) => point.turns > 1) };
}

function prepareSide(points: readonly SeriesPoint[], axis: AxisKind, side: PanelSide): PreparedSide {
  const sticks: PanelStick[] = [];
  const totals: PanelStick[] = [];
  let peak = 0;
  for (const point of points) {
    const x = pointX(point, axis);
    const spent = side.pick(point);
    if (spent > 0 && point.turns > 0) {
      const y = spent / point.turns;
      peak = Math.max(peak, y);
      sticks.push({ x, y });
    }
    const total = side.total(point);
    if (total !== null) totals.push({ x, y: total });
  }
  const end = totals.at(-1)?.y ?? 0;
  return {
    sticks,
    peak,
    tick: roundDown(peak),
    total: end > 0 ? totals.map(({ x, y }) => ({ x, y: y / end })) : [],
  };
}

/** The largest round value at or below the peak: 150 000 for 157 000. */
function roundDown(peak: number): number {
  if (peak < 1) return 0;
  const power = 10 ** Math.floor(Math.log10(peak));
  const share = peak / power;
  const round =
    share >= 7.5 ? 7.5 : share >= 5 ? 5 : share >= 2.5 ? 2.5 : share >= 2 ? 2 : share >= 1.5 ? 1.5 : 1;
  return Math.round(round * power);
}
