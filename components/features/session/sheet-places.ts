/** Finds places on the sheet: the points of a range, the live end, the forecast, and the labels of pieces. Pure. */
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import type { ChartScale } from '../../charts/chart-scale';
import type { Boundary } from '../../charts/list-marks';
import type { PlotFrame } from '../../charts/plot-frame';
import { prepareCone } from '../../charts/prepare-cone';
import type { PreparedDomain } from '../../charts/prepare-domain';
import type { TraceSegment } from '../../charts/trace-segments';
import { minutesRange, turnsRange } from '../../format/forecast-words';
import { formatTokens } from '../../format/format-tokens';
import { isCompacting } from '../../format/session-words';

/** Inputs that all places share. */
export interface Ground {
  session: Session;
  scale: ChartScale;
  domain: PreparedDomain;
  /** The session is silent for longer than its pace explains. */
  silent: boolean;
}

/** Points in the range and one on either side, for the values at its edges. */
export function clipPoints(points: readonly SeriesPoint[], from: number, to: number): readonly SeriesPoint[] {
  const found = points.findIndex(({ t }) => t >= from);
  const first = found === -1 ? points.length : found;
  const last = Math.max(first, points.findLastIndex(({ t }) => t <= to) + 1);
  return points.slice(Math.max(0, first - 1), last + 1);
}

/** Untracked stretches of the x axis: up to the next tracked turn, the next boundary, or the end. */
export function untrackedStretches(
  points: readonly SeriesPoint[],
  boundaries: readonly Boundary[],
  { scale, domain }: Pick<Ground, 'scale'> & { domain: Pick<PreparedDomain, 'from' | 'to' | 'end'> },
): Array<{ from: number; to: number }> {
  return points.flatMap((point, index) => {
    const { untracked, context } = point;
    const before = points[index - 1];
    if (!untracked || (before?.untracked && before.context === context)) return [];
    const after = points.slice(index).find((later) => !later.untracked || later.context !== context);
    const boundary = after && boundaries.find(({ contextAfter }) => contextAfter === context + 1);
    const end = after ? scale.x(after) : domain.end.x;
    const from = Math.max(scale.x(point), domain.from);
    const to = Math.min(end, boundary ? scale.momentX(boundary) : end, domain.to);
    return to > from ? [{ from, to }] : [];
  });
}

/** Minimum width of an unknown stretch with words, pixels. */
const UNKNOWN_ROOM = 56;

/** A single reading is a short stroke; an unknown stretch names the last known value. */
export function namedPieces(
  segments: readonly TraceSegment[],
  frame: PlotFrame,
  { scale, domain }: Pick<Ground, 'scale' | 'domain'>,
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
    const value = scale.unit === 'tokens' ? formatTokens(first.y) : `${Math.floor(first.y + 1e-9)}\u00a0%`;
    unknowns.push({ x: x + 9, y: y + 15, label: `unknown, last ${value}` });
  }
  return { singles, unknowns };
}

/** The live end has the state's colour. It covers the last five minutes, but at most this share of the sheet. */
const LIVE_END_MS = 5 * 60_000;
const LIVE_END_SHARE = 0.04;

export function liveFrom({ session, scale, domain, silent }: Ground, last: SeriesPoint | undefined) {
  if (session.liveness !== 'live' || session.used === null) return null;
  const tip = (domain.to - domain.from) * LIVE_END_SHARE;
  if (scale.axis === 'turns') return last ? last.n - Math.max(1, tip) : null;
  return (silent && last ? last.t : domain.end.x) - Math.min(LIVE_END_MS, tip);
}

/** x of an opened event without a mark, such as a state change or lost turns. */
export function selectedX(
  event: SessionEvent | undefined,
  boundaries: readonly Boundary[],
  { scale, domain }: Ground,
): number | null {
  if (event === undefined || boundaries.some(({ eventId }) => eventId === event.id)) return null;
  // On the turn axis, a derived event is drawn at its turn, not after it.
  const x = scale.axis === 'time' ? Date.parse(event.at) : event.turn;
  return x < domain.from || x > domain.to ? null : x;
}

/** From the live end to the next boundary: the cone between the early and the late end of the forecast. */
export function forecastOf({ session, scale, domain, silent }: Ground, frame: PlotFrame) {
  const { forecast, liveness } = session;
  const { now } = domain;
  if (forecast === null || now === null || liveness !== 'live' || isCompacting(session)) return null;
  const isTime = scale.axis === 'time';
  const range = isTime ? forecast.minutes : forecast.turns;
  const from = scale.y(session.used);
  const to = scale.y(forecast.at);
  if (range === null || from === null || to === null) return null;
  const after = (count: number) => frame.x(now + (isTime ? count * 60_000 : count));
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
  // A silent session's countdown is paused until the next turn, but not on the turn axis.
  const held = silent && isTime;
  const label = isTime ? minutesRange(range) : `${turnsRange(range)} turns`;
  return { ...cone, boundaryY, label: held ? `paused, ${label}` : label, held };
}

/** A unique, ascending key for each point: the turn's number; each reading after the turn adds a thousandth. */
export function turnKeys(points: readonly SeriesPoint[]): number[] {
  let readings = 0;
  return points.map(({ n }, index) => {
    readings = points[index - 1]?.n === n ? readings + 1 : 0;
    return n + readings / 1_000;
  });
}
