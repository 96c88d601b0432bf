/** The range of the sheet for a given moment. Pure. */
import type { Moment } from '../../format/parse-moment';
import type { SessionUrl } from './session-url';

const MINUTE = 60_000;
/** Paper to either side of the moment. */
const AROUND_MS = 5 * MINUTE;
/** How far a neighbouring turn may lie to be brought on the sheet as well. */
const REACH_MS = 60 * MINUTE;

/**
 * What of the address changes: the range around the moment, with the turns before and after it, and the crosshair on
 * it. An end past the session's own stays open.
 * @param times of the session's turns, ascending, milliseconds
 * @returns null where the session was not running at that moment
 */
export function goToMoment(
  { at, spanMs }: Moment,
  { firstAt, lastAt, times }: { firstAt: number; lastAt: number; times: readonly number[] },
): Pick<SessionUrl, 'from' | 'to' | 'at' | 'time'> | null {
  // A minute is a minute long: 14:03 is within a session that began at 14:03:20.
  if (at > lastAt || at + spanMs <= firstAt) return null;
  const moment = Math.max(at, firstAt);
  const before = times.findLast((time) => time <= moment) ?? moment;
  const after = times.find((time) => time > moment) ?? moment;
  const from = Math.min(moment - AROUND_MS, Math.max(before - MINUTE, moment - REACH_MS));
  const to = Math.max(moment + spanMs + AROUND_MS, Math.min(after + MINUTE, moment + REACH_MS));
  return { from: from <= firstAt ? null : from, to: to >= lastAt ? null : to, at: moment, time: null };
}
