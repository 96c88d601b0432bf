/** The figure and the lines of a card. */

import { isPastBoundaries } from '@/core/accounting/boundary-order';
import type { Session } from '@/core/api/session';
import { isCompacting } from '../../../format/compacting';
import { minutesRange, turnsUnit } from '../../../format/forecast-words';
import { splitMinutes } from '../../../format/format-duration';
import { formatExact, formatTokens } from '../../../format/format-tokens';
import { isPastRestartLine, realEndBrief } from '../../../format/line-words';
import { overWords } from '../../../format/over-words';
import { restingWords } from '../../../format/silence';
import { type BoundaryText, boundaryText, turnsLeft } from '../boundary-text';

export interface WallText {
  /** `18`, `+7`; empty where there is nothing to count down. */
  figure: string;
  /** `min`, `k`. */
  unit: string;
  /** First line beside it, in strong ink: `6 turns`, `no turn for 4 m`; instead of it: `idle, no turn for 38 m`. */
  lead: string;
  /** Second line: what happens, and where. */
  what: string;
  /** Third line, where a card has room for it: how sure the figure is, or what the lines passed and to come mean. */
  range: string;
  /** The countdown is held: no recent turn. */
  held: boolean;
  /** Exact text for hover. */
  exact: string;
}

const NOTHING: Omit<WallText, 'exact'> = { figure: '', unit: '', lead: '', what: '', range: '', held: false };

/** `4.2 k`, `25 k`: always with a unit, in few characters. */
function overBy(tokens: number): string {
  return tokens < 9_950 ? `${(Math.max(50, tokens) / 1e3).toFixed(1)}\u00a0k` : formatTokens(tokens);
}

/** @param now the server's time, milliseconds */
export function wallText(session: Session, now: number): WallText {
  const text = boundaryText(session, now);
  return { ...lettersOf(session, text, now), exact: text.exact };
}

function lettersOf(session: Session, text: BoundaryText, now: number): Omit<WallText, 'exact'> {
  const { nextBoundary: next, forecast, used, liveness } = session;
  const { lead, more, what, short, held } = text;
  if (isCompacting(session)) return { ...NOTHING, lead, what };
  if (next !== null && isPastBoundaries(session) && used !== null) {
    const over = overWords(session);
    if (liveness !== 'live') return { ...NOTHING, lead: restingWords(session, now), what: over.row };
    const [figure = '', unit = ''] = overBy(Math.max(0, used - next.at)).split('\u00a0');
    return {
      figure: `+${figure}`,
      unit,
      lead: over.lines[0],
      what: over.lines[1],
      range: `limit ${formatTokens(next.at)} passed`,
      held: false,
    };
  }
  if (liveness === 'live' && next?.minutes != null) {
    const { value, unit } = splitMinutes(next.minutes);
    const range = forecast?.minutes == null ? '' : minutesRange(forecast.minutes);
    const base = { figure: value, unit, held: held !== null };
    const past = isPastRestartLine(session) ? 'past restart line' : range;
    if (held !== null) return { ...base, lead: held, what: short, range: past };
    const end = realEndBrief(session);
    // Without restarts at the line, the boundary after it comes first.
    if (end !== null)
      return {
        ...base,
        lead: short,
        what: end,
        range: [more, range].filter((part) => part !== '').join(', '),
      };
    return { ...base, lead: more, what: short, range: past };
  }
  // No minutes, because all turns came at one moment: then turns are what is left.
  if (liveness === 'live' && next?.turns != null) {
    const turns = turnsLeft(next.turns);
    return { ...NOTHING, figure: formatExact(turns), unit: turnsUnit(turns), lead: short };
  }
  return { ...NOTHING, lead: lead || more, what: short || what };
}
