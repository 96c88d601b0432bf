import type { Session } from '@/core/api/session';
import {
  boundarySource,
  boundaryTitle,
  boundaryWord,
  clientName,
  overWords,
  passedLineWords,
} from '../../format/boundary-words';
import { forecastSentence, silentWords } from '../../format/forecast-words';
import { formatMinutes } from '../../format/format-duration';
import { formatExact, formatTokens } from '../../format/format-tokens';
import {
  HELD_SENTENCE,
  isCompacting,
  restingWords,
  silenceMs,
  silenceWords,
} from '../../format/session-words';

export interface BoundaryText {
  lead: string;
  more: string;
  /** Second line: event and position. */
  what: string;
  short: string;
  exact: string;
  /** `no turn for 4 min` while the countdown is held; else null. */
  held: string | null;
}

const NOTHING: BoundaryText = { lead: '', more: '', what: '', short: '', exact: '', held: null };

/** Whole turns left, including the one that crosses the boundary. */
export function turnsLeft(turns: number): number {
  return Math.max(1, Math.ceil(turns));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function turnsText(turns: number | null): string {
  if (turns === null) return '';
  const count = turnsLeft(turns);
  return `${formatExact(count)} ${count === 1 ? 'turn' : 'turns'}`;
}

/** @param now the server's time, milliseconds */
export function boundaryText(session: Session, now: number): BoundaryText {
  const text = { ...NOTHING, ...(stateText(session) ?? nextText(session, now)) };
  const counts = session.nextBoundary?.passed === false && !isCompacting(session) && text.lead !== '';
  const silent = counts ? silenceMs(session, now) : null;
  if (silent === null) return text;
  const held = silenceWords(silent);
  return { ...text, held, exact: `${capital(held)}. ${HELD_SENTENCE}. ${text.exact}` };
}

/** Text for a session that compacts or has no pressure; null for other sessions. */
function stateText(session: Session): Partial<BoundaryText> | null {
  const { state, used, lastKnownUsed: last, client, compacting } = session;
  if (isCompacting(session)) {
    const what = compacting?.trigger === 'manual' ? 'requested manually' : `by ${clientName(client)} itself`;
    return { lead: 'compacting now', what, short: 'announced', exact: 'Compaction started' };
  }
  if (state === 'untracked') {
    const exact = 'A turn had no usage, so pressure is not tracked in this context';
    return { more: 'not tracked', what: 'turns without usage', exact };
  }
  if (state !== 'unknown') return null;
  if (used !== null) {
    const exact = 'The context window is unknown: tokens are known, pressure is not';
    return { more: 'no limit known', exact };
  }
  const what = last === null ? 'no reading so far' : `last known ${formatTokens(last)}`;
  const exact = last === null ? what : `Last known ${formatExact(last)} tokens; unknown until the next turn`;
  return { more: 'no reading yet', what, short: what, exact };
}

function nextText(session: Session, now: number): Partial<BoundaryText> {
  const { nextBoundary: next, client, used, forecast, liveness } = session;
  if (next === null) return { more: 'no boundary known' };
  const place = formatTokens(next.at);
  const title = boundaryTitle(next, client);
  const exact = `${title} at ${formatExact(next.at)} tokens (${boundarySource(next.source)}), ${formatExact(next.left)} left`;
  const resting = restingWords(session, now);
  if (next.passed) {
    const by = `${formatTokens(Math.max(0, (used ?? next.at) - next.at), { fine: true })} over ${place}`;
    const never = session.restartLine === null ? '; restart is set to never' : '';
    const over = next.kind === 'limit' ? overWords(session) : null;
    return {
      lead: next.kind === 'limit' ? 'limit passed' : 'passed',
      more: liveness === 'live' ? '' : liveness,
      what: over?.lines.join(' ') ?? by,
      short: by,
      exact: sentences(capital(by), `${exact}${never}`, over?.full, capital(resting)),
    };
  }
  const past = passedLineWords(session);
  const short = `${boundaryWord(next)} ${place}`;
  const what =
    past === null
      ? `${title} ${next.kind === 'limit' ? 'at ' : ''}${place}`
      : `${capital(short)}, past restart line`;
  if (resting !== '') return { more: resting, what, short, exact: `${capital(resting)}. ${exact}` };
  return {
    lead: next.minutes === null ? '' : formatMinutes(next.minutes),
    more: turnsText(next.turns) || (next.minutes === null ? silentWords(forecast) : ''),
    what,
    short,
    exact: sentences(
      next.minutes === null ? '' : `${next.minutes.toFixed(1)} active minutes`,
      capital(forecastSentence(forecast)),
      exact,
      capital(past ?? ''),
    ),
  };
}

function sentences(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join('. ');
}
