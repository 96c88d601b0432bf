/** Which stretch of the x axis is on the sheet, and how the trace goes on after its last turn. */
import type { Liveness } from '@/core/api/session';

export interface TimeDomainInput {
  /** The zoomed range, milliseconds; null: open at that side. An open right side follows the session. */
  from: number | null;
  to: number | null;
  firstAt: number;
  lastAt: number;
  now: number;
  liveness: Liveness;
  /** The session is silent for longer than its pace explains, so the value until now is no reading. */
  silent: boolean;
  /** Minutes to the next boundary at the forecast's late end; null: not known. */
  minutesLeft: number | null;
}

export interface PreparedDomain {
  from: number;
  to: number;
  /** Where the trace ends, and how the last value is carried there. */
  end: { x: number; hold: 'solid' | 'dotted' };
  /** x of "now"; null when it is off the sheet. */
  now: number | null;
}

const MINUTE = 60_000;
/** Shortest span of the axis, for sessions of one turn. */
const SHORTEST_SPAN = 10 * MINUTE;
const BEYOND_FORECAST = 1.15;

/**
 * A live session's sheet runs past now, so that the way to the next boundary can be seen: as far as the
 * forecast reaches, between 4 and 20 % of what lies behind. An idle or ended one stops a little after its
 * last turn, however long ago that was.
 */
export function prepareTimeDomain(input: TimeDomainInput): PreparedDomain {
  const { firstAt, now, liveness } = input;
  const from = input.from ?? firstAt;
  const lastAt = Math.max(input.lastAt, firstAt);
  if (liveness === 'live') {
    const present = Math.max(now, lastAt);
    const behind = Math.max(present - from, SHORTEST_SPAN);
    const wanted = (input.minutesLeft ?? 0) * MINUTE * BEYOND_FORECAST;
    const to = input.to ?? present + Math.min(Math.max(wanted, behind * 0.04), behind * 0.2);
    const hold = input.silent ? 'dotted' : 'solid';
    return { from, to, end: { x: Math.min(present, to), hold }, now: present <= to ? present : null };
  }
  const span = Math.max(lastAt - from, SHORTEST_SPAN);
  const nowIsNear = liveness === 'idle' && now - lastAt < span * 0.15;
  const open = nowIsNear ? Math.max(now, lastAt) + span * 0.03 : lastAt + span * 0.04;
  const to = input.to ?? Math.max(open, from + SHORTEST_SPAN);
  if (liveness === 'ended') return { from, to, end: { x: Math.min(lastAt, to), hold: 'solid' }, now: null };
  const end = Math.min(nowIsNear ? now : to, to);
  return { from, to, end: { x: end, hold: 'dotted' }, now: nowIsNear && now <= to ? now : null };
}

/**
 * The same over turns: half a turn of margin, room at the live end as far as the forecast reaches.
 * @param turnsLeft at the forecast's late end; null: not known
 */
export function prepareTurnDomain(
  first: number,
  last: number,
  liveness: Liveness,
  isOpen: boolean,
  turnsLeft: number | null,
): PreparedDomain {
  const from = Math.max(0, first - 1);
  const behind = last - from;
  const wanted = Math.max(1, behind * 0.06, (turnsLeft ?? 0) * BEYOND_FORECAST);
  const isLive = isOpen && liveness === 'live';
  const room = isLive ? Math.min(wanted, Math.max(1, behind * 0.2)) : 0.5;
  // The last turn is as wide as any other.
  const end = last + 0.5;
  return { from, to: last + room, end: { x: end, hold: 'solid' }, now: isLive ? end : null };
}
