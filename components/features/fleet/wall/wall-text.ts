import { boundaryPlace, isPastBoundaries } from '@/core/accounting/boundary-order';
import type { PressureState } from '@/core/accounting/types';
import type { Session } from '@/core/api/session';
import { isPastRestartLine, overWords } from '../../../format/boundary-words';
import { minutesRange, turnsUnit } from '../../../format/forecast-words';
import { splitMinutes } from '../../../format/format-duration';
import { formatExact, formatTokens } from '../../../format/format-tokens';
import { isCompacting, restingWords } from '../../../format/session-words';
import { COUNTED_STATES, countStates } from '../../../sessions/filter-sessions';
import { isCounting } from '../../../sessions/sort-sessions';
import { type BoundaryText, boundaryText, turnsLeft } from '../boundary-text';

interface CardLines {
  /** `18`, `+7`; empty: nothing counts down. */
  figure: string;
  unit: string;
  /** The line beside the figure: `6 turns`, `no turn for 4 min`; without a figure: `idle, no turn for 38 min`. */
  lead: string;
  what: string;
  /** Third line: the range of the forecast, a passed line, or the end of `what`. */
  range: string;
  held: boolean;
}

const NOTHING: CardLines = { figure: '', unit: '', lead: '', what: '', range: '', held: false };

/** `4.2 k`, `25 k`: always with a unit, in few characters. */
function overBy(tokens: number): string {
  return tokens < 9_950 ? `${(Math.max(50, tokens) / 1e3).toFixed(1)}\u00a0k` : formatTokens(tokens);
}

/** @param now the server's time, milliseconds. @returns `exact`: text for hover */
export function wallText(session: Session, now: number): CardLines & { exact: string } {
  const text = boundaryText(session, now);
  return { ...NOTHING, ...linesOf(session, text, now), exact: text.exact };
}

function linesOf(session: Session, text: BoundaryText, now: number): Partial<CardLines> {
  const { nextBoundary: next, forecast, used, liveness } = session;
  const { lead, more, what, short, held } = text;
  if (isCompacting(session)) return { lead, what };
  if (next !== null && isPastBoundaries(session) && used !== null) {
    const over = overWords(session);
    if (liveness !== 'live') return { lead: restingWords(session, now), what: over.lines.join(' ') };
    const [figure, unit = ''] = overBy(Math.max(0, used - next.at)).split('\u00a0');
    // The card adds the time since this event.
    const lead = session.lastEvent?.kind === 'redlined' ? 'passed' : 'limit passed';
    return { figure: `+${figure}`, unit, lead, what: over.lines[0], range: over.lines[1] };
  }
  if (liveness === 'live' && next?.minutes != null) {
    const { value: figure, unit } = splitMinutes(next.minutes);
    const range = forecast?.minutes == null ? '' : minutesRange(forecast.minutes);
    const past = isPastRestartLine(session) ? 'past restart line' : range;
    return { figure, unit, lead: held ?? more, what: short, range: past, held: held !== null };
  }
  // Without a pace, only the number of turns is known.
  if (liveness === 'live' && next?.turns != null) {
    const turns = turnsLeft(next.turns);
    return { figure: formatExact(turns), unit: turnsUnit(turns), lead: short };
  }
  return { lead: lead || more, what: short || what };
}

interface WallRest {
  /** Minutes until the first boundary; null: none counts down. */
  firstMinutes: number | null;
  /** Sessions with a paused countdown. */
  paused: number;
  states: ReadonlyArray<{ state: PressureState; count: number }>;
}

/** @param rest sessions without a card, in the default order. @param now the server's time, milliseconds */
export function describeRest(rest: readonly Session[], now: number): WallRest {
  const { states } = countStates(rest);
  return {
    firstMinutes: rest.find((session) => isCounting(session, now))?.nextBoundary?.minutes ?? null,
    paused: rest.filter((session) => boundaryPlace(session, now) === 'held').length,
    states: COUNTED_STATES.map((state) => ({ state, count: states[state] })).filter(({ count }) => count > 0),
  };
}
