/** The three sessions that reach a boundary first, and the line that leads there. */
import type { Session } from '@/core/api/session';
import { px } from '../charts/trace-path';
import { firstToArrive } from './sort-sessions';

const NEXT_COUNT = 3;

/**
 * Live sessions that count down, the first to arrive first. One that is past its last boundary is never
 * among them.
 */
export function nextToGo(sessions: readonly Session[]): Session[] {
  return firstToArrive(sessions, NEXT_COUNT);
}

export interface ForecastLine {
  path: string;
  /** Where it meets the boundary; null: beyond the right edge. */
  meetsX: number | null;
}

interface ForecastInput {
  nowX: number;
  fromY: number;
  boundaryY: number;
  /** Minutes until the boundary at the rate of the last turns. */
  minutes: number;
  pxPerMinute: number;
  width: number;
}

/** A straight line at the plain rate, cut at the right edge: no range is known, so none is drawn. */
export function forecastLine({
  nowX,
  fromY,
  boundaryY,
  minutes,
  pxPerMinute,
  width,
}: ForecastInput): ForecastLine {
  const meets = nowX + minutes * pxPerMinute;
  if (meets <= width) {
    return { path: `M${px(nowX)} ${px(fromY)}L${px(meets)} ${px(boundaryY)}`, meetsX: px(meets) };
  }
  const share = (width - nowX) / (meets - nowX);
  const edgeY = fromY + (boundaryY - fromY) * share;
  return { path: `M${px(nowX)} ${px(fromY)}L${px(width)} ${px(edgeY)}`, meetsX: null };
}
