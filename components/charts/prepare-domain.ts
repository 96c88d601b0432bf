/** The visible part of the x axis, and the line after the last turn. */
import type { Liveness } from '@/core/api/session';

interface TimeDomainInput {
  /** The zoomed range, milliseconds; null: no bound at that end. Without a right bound the view follows the session. */
  from: number | null;
  to: number | null;
  firstAt: number;
  lastAt: number;
  now: number;
  liveness: Liveness;
  /** Whether the session has sent nothing for an unusually long time. */
  silent: boolean;
  minutesLeft: number | null;
}

export interface PreparedDomain {
  from: number;
  to: number;
  /** End of the trace, and style of the line from the last value to that end. */
  end: { x: number; hold: 'solid' | 'dotted' };
  /** x of “now”; null: off the sheet. */
  now: number | null;
}

const MINUTE = 60_000;
/** Minimum length of the axis, for sessions with one turn. */
const SHORTEST_SPAN = 10 * MINUTE;
const BEYOND_FORECAST = 1.15;

/**
 * The sheet of a live session extends past now to the late end of the forecast, by 4 to 20 % of the time before now.
 * Other sheets stop shortly after the last turn; the sheet of an idle session includes now if now is near.
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

/** The domain of the turn axis. @param turnsLeft turns until the latest forecast boundary; null: unknown */
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
  const end = last + 0.5;
  return { from, to: last + room, end: { x: end, hold: 'solid' }, now: isLive ? end : null };
}
