/** Places on the sheet: points of a range, the live end, the forecast, names of pieces, and the way back to turns. Pure. */
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { type AxisKind, momentX, pointX, toUnit, type ValueUnit } from '../../charts/chart-scale';
import type { Boundary } from '../../charts/list-marks';
import type { PlotFrame } from '../../charts/plot-frame';
import { prepareCone } from '../../charts/prepare-cone';
import type { PreparedDomain } from '../../charts/prepare-domain';
import type { TraceSegment } from '../../charts/trace-segments';
import { minutesRange, turnsRange } from '../../format/forecast-words';
import { formatTokens } from '../../format/format-tokens';
import { isCompacting } from '../../format/session-words';
import type { SessionUrl } from './session-url';

/** Points in the range and one on either side, for the values at its edges. */
export function clipPoints(points: readonly SeriesPoint[], from: number, to: number): readonly SeriesPoint[] {
  const found = points.findIndex(({ t }) => t >= from);
  const first = found === -1 ? points.length : found;
  const last = Math.max(first, points.findLastIndex(({ t }) => t <= to) + 1);
  return points.slice(Math.max(0, first - 1), last + 1);
}

/** Where nothing was tracked, on the x axis: up to the next tracked turn, the next boundary, or the end. */
export function untrackedStretches(
  points: readonly SeriesPoint[],
  boundaries: readonly Boundary[],
  axis: AxisKind,
  domain: Pick<PreparedDomain, 'from' | 'to' | 'end'>,
): Array<{ from: number; to: number }> {
  return points.flatMap((point, index) => {
    const { untracked, context } = point;
    const before = points[index - 1];
    if (!untracked || (before?.untracked && before.context === context)) return [];
    const after = points.slice(index).find((later) => !later.untracked || later.context !== context);
    const boundary = after && boundaries.find(({ contextAfter }) => contextAfter === context + 1);
    const end = after ? pointX(after, axis) : domain.end.x;
    const from = Math.max(pointX(point, axis), domain.from);
    const to = Math.min(end, boundary ? momentX(boundary, axis) : end, domain.to);
    return to > from ? [{ from, to }] : [];
  });
}

/** Words need this much of an unknown stretch, pixels. */
const UNKNOWN_ROOM = 56;

/** A lone reading is a short stroke; an unknown stretch names the last value that was known. */
export function namedPieces(
  segments: readonly TraceSegment[],
  frame: PlotFrame,
  domain: PreparedDomain,
  unit: ValueUnit,
) {
  const singles: Array<{ x: number; y: number }> = [];
  const unknowns: Array<{ x: number; y: number; label: string }> = [];
  for (const { kind, points } of segments) {
    const [first] = points;
    const last = points.at(-1);
    if (!first || !last || last.x < domain.from || first.x > domain.to) continue;
    const y = frame.y(first.y);
    if ((kind === 'ink' || kind === 'estimate') && points.length === 1)
      singles.push({ x: frame.x(first.x), y });
    const x = frame.x(Math.max(first.x, domain.from));
    if (kind !== 'unknown' || frame.x(Math.min(last.x, domain.to)) - x < UNKNOWN_ROOM) continue;
    const value = unit === 'tokens' ? formatTokens(first.y) : `${Math.floor(first.y + 1e-9)}\u00a0%`;
    unknowns.push({ x: x + 9, y: y + 15, label: `unknown, last ${value}` });
  }
  return { singles, unknowns };
}

/** The live end, repainted in the state's colour: the last minutes, and a tip of the sheet at most. */
const LIVE_END_MS = 5 * 60_000;
const LIVE_END_SHARE = 0.04;

export function liveFrom(
  session: Session,
  points: readonly SeriesPoint[],
  axis: AxisKind,
  domain: PreparedDomain,
  silent: boolean,
): number | null {
  if (session.liveness !== 'live' || session.used === null) return null;
  const tip = (domain.to - domain.from) * LIVE_END_SHARE;
  const last = points.at(-1);
  if (axis === 'turns') return last ? last.n - Math.max(1, tip) : null;
  return (silent && last ? last.t : domain.end.x) - Math.min(LIVE_END_MS, tip);
}

/** A state change or a lost turn has no mark on the sheet: opened, it gets one. */
export function selectedX(
  url: SessionUrl,
  events: readonly SessionEvent[],
  boundaries: readonly Boundary[],
  domain: PreparedDomain,
  frame: PlotFrame,
): number | null {
  const event = url.event === null ? undefined : events.find(({ id }) => id === url.event);
  if (event === undefined || boundaries.some(({ eventId }) => eventId === event.id)) return null;
  // Over turns a derived event belongs to its turn, not to the space after it.
  const x = url.axis === 'time' ? Date.parse(event.at) : event.turn;
  return x < domain.from || x > domain.to ? null : frame.x(x);
}

/** From the live end to the next boundary: the cone between the early and the late end of the forecast. */
export function forecastOf(
  session: Session,
  domain: PreparedDomain,
  axis: AxisKind,
  unit: ValueUnit,
  frame: PlotFrame,
  silent: boolean,
) {
  const { forecast, used, limit, liveness } = session;
  const { now } = domain;
  if (forecast === null || now === null || liveness !== 'live' || isCompacting(session)) return null;
  const range = axis === 'time' ? forecast.minutes : forecast.turns;
  const from = toUnit(used, limit, unit);
  const to = toUnit(forecast.at, limit, unit);
  if (range === null || from === null || to === null) return null;
  const after = (count: number) => frame.x(now + (axis === 'time' ? count * 60_000 : count));
  const boundaryY = frame.y(to);
  const cone = prepareCone({
    x: frame.x(now),
    y: frame.y(from),
    boundaryY,
    lowX: after(range.low),
    midX: after(range.mid),
    highX: after(range.high),
    right: frame.right,
  });
  // The countdown of a silent session starts with the next turn. Over turns it holds nothing.
  const held = silent && axis === 'time';
  const label = axis === 'time' ? minutesRange(range) : `${turnsRange(range)} turns`;
  return { ...cone, boundaryY, label: held ? `held, ${label}` : label, held };
}

/** Number of the last turn until a moment, or the first turn; null without points. */
export function turnStandingAt(points: readonly SeriesPoint[], at: number): number | null {
  return (points.findLast(({ t }) => t <= at) ?? points[0])?.n ?? null;
}

/** Ascending numbers of the points, each its own: a reading on its own has the number of the turn before it. */
export function turnKeys(points: readonly SeriesPoint[]): number[] {
  let readings = 0;
  return points.map(({ n }, index) => {
    readings = points[index - 1]?.n === n ? readings + 1 : 0;
    return n + readings / 1_000;
  });
}

/** The time at x, milliseconds; over turns, between the times of the turns around it. */
export function timeBetween(points: readonly SeriesPoint[], axis: AxisKind, x: number): number {
  if (axis === 'time') return x;
  const after = points.find(({ n }) => n >= x);
  const before = points.findLast(({ n }) => n < x);
  if (!before || !after) return (after ?? before)?.t ?? 0;
  return before.t + ((x - before.n) / (after.n - before.n)) * (after.t - before.t);
}
