/** Cache reads per turn: telemetry, never part of pressure. Same x as the trace. */
import type { SeriesPoint } from '@/core/api/series';
import { type AxisKind, pointX } from './chart-scale';

export interface CacheStick {
  x: number;
  /** Tokens read from the cache per turn; the mean over the turns of a bucket. */
  y: number;
}

export interface PreparedCacheReads {
  sticks: CacheStick[];
  domain: [number, number];
  /** The labelled value on the axis, tokens. */
  tick: number;
  /** Whether a stick may stand for several turns. */
  averaged: boolean;
}

/** Turns without cache reads have no stick. */
export function prepareCacheReads(points: readonly SeriesPoint[], axis: AxisKind): PreparedCacheReads {
  const sticks: CacheStick[] = [];
  let peak = 0;
  let averaged = false;
  for (const point of points) {
    if (point.cacheRead <= 0 || point.turns <= 0) continue;
    const y = point.cacheRead / point.turns;
    if (point.turns > 1) averaged = true;
    peak = Math.max(peak, y);
    sticks.push({ x: pointX(point, axis), y });
  }
  const tick = roundDown(peak);
  return { sticks, domain: [0, Math.max(peak * 1.12, 1)], tick, averaged };
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
