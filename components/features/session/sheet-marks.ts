/** Marks besides traces and boundaries: the live end, the forecast, labels of pieces. */
import type { PressureState } from '@/core/accounting/types';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { toUnit, type ValueUnit } from '../../charts/chart-scale';
import type { Boundary } from '../../charts/list-marks';
import type { PlotFrame } from '../../charts/plot-frame';
import type { ValueAxis } from '../../charts/prepare-axes';
import { type Cone, prepareCone } from '../../charts/prepare-cone';
import type { PreparedDomain } from '../../charts/prepare-domain';
import type { TraceSegment } from '../../charts/trace-segments';
import { isCompacting } from '../../format/compacting';
import { minutesRange, turnsRange } from '../../format/forecast-words';
import { formatTokens } from '../../format/format-tokens';
import type { SessionUrl } from './session-url';

/** The live end, repainted in the state's colour: the last minutes, and a tip of the sheet at most. */
const LIVE_END_MS = 5 * 60_000;
const LIVE_END_SHARE = 0.04;
/** Words need this much of an unknown stretch, pixels. */
const UNKNOWN_ROOM = 56;

export interface NamedPieces {
  /** Pieces of a single reading, too short for a line, pixels. */
  singles: Array<{ x: number; y: number }>;
  /** Names of unknown stretches that have room for one, pixels. */
  unknowns: Array<{ x: number; y: number; label: string }>;
}

/** The session's pressure at the live end. */
export interface CurrentPressure {
  ratio: number;
  y: number;
  state: PressureState;
}

/** A lone reading is a short stroke; an unknown stretch names the last value that was known. */
export function namedPieces(
  segments: readonly TraceSegment[],
  frame: PlotFrame,
  domain: PreparedDomain,
  unit: ValueUnit,
): NamedPieces {
  const singles: NamedPieces['singles'] = [];
  const unknowns: NamedPieces['unknowns'] = [];
  for (const { kind, points } of segments) {
    const first = points[0];
    const last = points.at(-1);
    if (!first || !last || last.x < domain.from || first.x > domain.to) continue;
    if (
      (kind === 'ink' || kind === 'estimate') &&
      frame.x(last.x) - frame.x(first.x) < 1 &&
      points.length === 1
    ) {
      singles.push({ x: frame.x(first.x), y: frame.y(first.y) });
    }
    if (kind !== 'unknown') continue;
    const x = frame.x(Math.max(first.x, domain.from));
    if (frame.x(Math.min(last.x, domain.to)) - x < UNKNOWN_ROOM) continue;
    const value = unit === 'tokens' ? formatTokens(first.y) : `${Math.floor(first.y + 1e-9)}\u00a0%`;
    unknowns.push({ x: x + 9, y: frame.y(first.y) + 15, label: `unknown, last ${value}` });
  }
  return { singles, unknowns };
}

/** Where the live end begins on the x axis; null: nothing is live. */
export function liveFrom(
  session: Session,
  points: readonly SeriesPoint[],
  axis: SessionUrl['axis'],
  domain: PreparedDomain,
  silent: boolean,
): number | null {
  if (session.liveness !== 'live' || session.used === null) return null;
  const tip = (domain.to - domain.from) * LIVE_END_SHARE;
  const last = points.at(-1);
  const end = silent && last ? last.t : domain.end.x;
  if (axis === 'time') return end - Math.min(LIVE_END_MS, tip);
  return last ? last.n - Math.max(1, tip) : null;
}

export function currentOf(session: Session, { unit }: ValueAxis): CurrentPressure | null {
  if (unit === 'tokens' || session.pressure === null || session.used === null) return null;
  if (session.state === 'untracked' || session.state === 'unknown') return null;
  return { ratio: session.pressure, y: session.pressure * 100, state: session.state };
}

/** A state change or a lost turn has no mark on the sheet: opened, it gets one. */
export function selectedX(
  url: SessionUrl,
  events: readonly SessionEvent[],
  boundaries: readonly Boundary[],
  domain: PreparedDomain,
  frame: PlotFrame,
): number | null {
  if (url.event === null || boundaries.some((boundary) => boundary.eventId === url.event)) return null;
  const event = events.find((candidate) => candidate.id === url.event);
  if (!event) return null;
  // Over turns a derived event belongs to its turn, not to the space after it.
  const x = url.axis === 'time' ? Date.parse(event.at) : event.turn;
  return x < domain.from || x > domain.to ? null : frame.x(x);
}

export interface Forecast extends Cone {
  boundaryY: number;
  label: string;
  /** The session is silent: the countdown starts with the next turn. */
  held: boolean;
}

/** From the live end to the next boundary: the cone between the early and the late end of the forecast. */
export function forecastOf(
  session: Session,
  domain: PreparedDomain,
  axis: SessionUrl['axis'],
  unit: ValueUnit,
  frame: PlotFrame,
  silent: boolean,
): Forecast | null {
  const { forecast, used, limit, liveness } = session;
  const range = axis === 'time' ? forecast?.minutes : forecast?.turns;
  const from = toUnit(used, limit, unit);
  if (forecast === null || range == null || from === null) return null;
  if (domain.now === null || liveness !== 'live' || isCompacting(session)) return null;
  const to = toUnit(forecast.at, limit, unit);
  if (to === null) return null;
  const { now } = domain;
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
  // Over turns a silent session holds nothing.
  const held = silent && axis === 'time';
  const label = axis === 'time' ? minutesRange(range) : `${turnsRange(range)} turns`;
  return { ...cone, boundaryY, label: held ? `held, ${label}` : label, held };
}

/** Names need so much of a plot's end, pixels. */
const NAMES_ROOM = 132;

/** The end of the plot at which the trace stays lower, so that the lines can be named over it. */
export function labelSide(segments: readonly TraceSegment[], frame: PlotFrame): 'left' | 'right' {
  const top = (from: number, to: number) => {
    let least = frame.bottom;
    for (const { points } of segments) {
      points.forEach((point, index) => {
        const begin = frame.x(point.x);
        const end = frame.x(points[index + 1]?.x ?? point.x);
        if (begin <= to && end >= from) least = Math.min(least, frame.y(point.y));
      });
    }
    return least;
  };
  return top(frame.right - NAMES_ROOM, frame.right) > top(frame.left, frame.left + NAMES_ROOM)
    ? 'right'
    : 'left';
}
