/** The next boundary of a session in two lines. */
import type { Session } from '@/core/api/session';
import { boundarySource, boundaryTitle, boundaryWord, clientName } from '../../format/boundary-words';
import { isCompacting } from '../../format/compacting';
import { forecastSentence, silentWords } from '../../format/forecast-words';
import { formatMinutes } from '../../format/format-duration';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { passedLineWords, realEndBrief, realEndWords } from '../../format/line-words';
import { overWords } from '../../format/over-words';
import { HELD_SENTENCE, restingWords, silenceMs, silenceWords } from '../../format/silence';

export interface BoundaryText {
  /** First line, in strong ink: `1 min`, `limit passed`. */
  lead: string;
  /** After it: `6 turns`. */
  more: string;
  /** Second line: what happens and where. */
  what: string;
  /** The same for narrow places. */
  short: string;
  /** For hover, exact. */
  exact: string;
  /** `no turn for 4 m`: the countdown is held. Null: it runs, or there is none. */
  held: string | null;
}

/** Whole turns left, rounded up to the one that crosses. */
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

/** @param now the server's time, milliseconds: a countdown without turns is held. */
export function boundaryText(session: Session, now: number): BoundaryText {
  const text = textOf(session, now);
  const counts = session.nextBoundary !== null && !session.nextBoundary.passed && !isCompacting(session);
  const silent = counts && text.lead !== '' ? silenceMs(session, now) : null;
  if (silent === null) return { ...text, held: null };
  const held = silenceWords(silent);
  return { ...text, held, exact: `${capital(held)}. ${HELD_SENTENCE}. ${text.exact}` };
}

function textOf(session: Session, now: number): Omit<BoundaryText, 'held'> {
  const { nextBoundary: next, client } = session;
  if (isCompacting(session)) {
    const what =
      session.compacting?.trigger === 'manual' ? 'asked for by hand' : `by ${clientName(client)} itself`;
    const exact = 'Compaction started';
    return { lead: 'compacting now', more: '', what, short: 'announced', exact };
  }
  if (session.state === 'untracked') {
    const what = 'turns came without usage';
    return {
      lead: '',
      more: 'not tracked',
      what,
      short: '',
      exact: 'A turn came without usage: pressure is not tracked in this context',
    };
  }
  if (session.state === 'unknown' && session.used !== null) {
    return {
      lead: '',
      more: 'no limit known',
      what: '',
      short: '',
      exact: 'No context window was stated: tokens are known, the pressure is not',
    };
  }
  if (session.state === 'unknown') {
    const last = session.lastKnownUsed;
    const what = last === null ? 'no reading so far' : `last known ${formatTokens(last)}`;
    const exact =
      last === null ? what : `Last known ${formatExact(last)} tokens; unknown until the next turn`;
    return { lead: '', more: 'no reading yet', what, short: what, exact };
  }
  if (next === null) {
    return { lead: '', more: 'no boundary known', what: '', short: '', exact: '' };
  }
  const place = formatTokens(next.at);
  const exact = `${boundaryTitle(next, client)} at ${formatExact(next.at)} tokens (${boundarySource(next.source)}), ${formatExact(next.left)} left`;
  if (next.passed) {
    const by = `${formatTokens(session.used === null ? 0 : Math.max(0, session.used - next.at), { fine: true })} over ${place}`;
    const never = session.restartLine === null ? '; restart is set to never' : '';
    const over = next.kind === 'limit' ? overWords(session) : null;
    const parts = [capital(by), `${exact}${never}`, over?.full, capital(restingWords(session, now))];
    return {
      lead: next.kind === 'limit' ? 'limit passed' : 'passed',
      more: session.liveness === 'live' ? '' : session.liveness,
      what: over?.row ?? by,
      short: by,
      exact: parts.filter((part) => part !== undefined && part !== '').join('. '),
    };
  }
  const past = passedLineWords(session);
  const beyond = past ?? realEndWords(session);
  const title = `${boundaryTitle(next, client)} ${next.kind === 'limit' ? 'at ' : ''}${place}`;
  // A row has no room for both: its numbers are on hover.
  const end = realEndBrief(session);
  const what =
    past !== null
      ? `${capital(boundaryWord(next))} ${place}, past restart line`
      : end !== null
        ? `${boundaryTitle(next, client)}, ${end}`
        : title;
  const short = `${boundaryWord(next)} ${place}`;
  const resting = restingWords(session, now);
  if (resting !== '') return { lead: '', more: resting, what, short, exact: `${capital(resting)}. ${exact}` };
  const parts = [
    ...(next.minutes === null ? [] : [`${next.minutes.toFixed(1)} minutes of work`]),
    capital(forecastSentence(session.forecast)),
    exact,
    ...(beyond === null ? [] : [capital(beyond)]),
  ].join('. ');
  if (next.minutes === null) {
    const more = turnsText(next.turns) || silentWords(session.forecast);
    return { lead: '', more, what, short, exact: parts };
  }
  return { lead: formatMinutes(next.minutes), more: turnsText(next.turns), what, short, exact: parts };
}
