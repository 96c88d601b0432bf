/** What a card says in its largest letters, and in the lines beside them. */
import type { Session } from '@/core/api/session';
import { boundaryText, turnsLeft } from '../fleet/boundary-text';
import { isPassed } from '../fleet/sort-sessions';
import { isCompacting } from '../format/compacting';
import { minutesRange, turnsUnit } from '../format/forecast-words';
import { splitMinutes } from '../format/format-duration';
import { formatExact, formatTokens } from '../format/format-tokens';
import { isPastRestartLine } from '../format/line-words';

export interface WallText {
  /** `18`, `+7`; empty where there is nothing to count down. */
  figure: string;
  /** `min`, `k`. */
  unit: string;
  /** First line beside it, in strong ink: `6 turns`, `limit passed`; instead of it: `idle`. */
  lead: string;
  /** Second line: what happens, and where. */
  what: string;
  /** Third line, where a card has room for it: how sure the figure is, or that the restart line lies behind. */
  range: string;
  /** The figure is held: no turn comes. */
  held: boolean;
}

/** @param now the server's time, milliseconds */
export function wallText(session: Session, now: number): WallText {
  const { nextBoundary: next, forecast, used, liveness } = session;
  const { lead, more, what, short, held } = boundaryText(session, now);
  if (isCompacting(session)) return { figure: '', unit: '', lead, what, range: '', held: false };
  if (liveness === 'live' && next !== null && isPassed(session) && used !== null) {
    const [figure = '', unit = ''] = formatTokens(Math.max(0, used - next.at), { fine: true }).split(
      '\u00a0',
    );
    return {
      figure: `+${figure}`,
      unit: unit === '' ? 'tokens' : unit,
      lead,
      what: `at ${formatTokens(next.at)}`,
      range: '',
      held: false,
    };
  }
  if (liveness === 'live' && next?.minutes != null) {
    const { value, unit } = splitMinutes(next.minutes);
    const range = forecast?.minutes == null ? '' : minutesRange(forecast.minutes);
    const past = isPastRestartLine(session) ? 'past restart line' : range;
    if (held !== null) return { figure: value, unit, lead: held, what: short, range: past, held: true };
    return { figure: value, unit, lead: more, what: short, range: past, held: false };
  }
  // No minutes, because all turns came at one moment: then turns are what is left.
  if (liveness === 'live' && next?.turns != null) {
    const turns = turnsLeft(next.turns);
    return {
      figure: formatExact(turns),
      unit: turnsUnit(turns),
      lead: short,
      what: '',
      range: '',
      held: false,
    };
  }
  return { figure: '', unit: '', lead: lead || more, what: short || what, range: '', held: false };
}
