import type { Session } from '@/core/api/session';
import { addToCounts, emptyCounts, isArchiveFailed, isInTrouble, type StateCounts } from './filter-sessions';
import { AXIS_END, type FleetQuery } from './fleet-query';

/** The sessions of a query, in no order. */
export function filterSessions(sessions: Iterable<Session>, query: FleetQuery): Session[] {
  return surveySessions(sessions, query).found;
}

export interface Survey {
  /** The sessions of the query, in no order. */
  found: Session[];
  /**
   * Counts after the other filters: each ignores its own filter, so that it equals what choosing it would show.
   */
  counts: StateCounts;
}

/** What a query finds, and how many of each, in one pass. */
export function surveySessions(sessions: Iterable<Session>, query: FleetQuery): Survey {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const { states, liveness, trouble, archiveFailed } = query;
  const withEnded = liveness.includes('ended');
  const found: Session[] = [];
  const counts = emptyCounts();
  for (const session of sessions) {
    if (!matchesNames(session, query) || !matchesRange(session, query.range) || !matchesText(session, words))
      continue;
    const isState =
      states.length === 0 || (states.includes(session.state) && (withEnded || session.liveness !== 'ended'));
    const isLiveness = liveness.length === 0 || liveness.includes(session.liveness);
    const isTrouble = !trouble || isInTrouble(session);
    const isLost = !archiveFailed || isArchiveFailed(session);
    const isMarked = isTrouble && isLost;
    if (isState && isLiveness && isMarked) found.push(session);
    addToCounts(counts, session, {
      liveness: (states.length === 0 || states.includes(session.state)) && isMarked,
      states: isLiveness && isMarked && (withEnded || session.liveness !== 'ended'),
      trouble: isState && isLiveness && isLost,
      archiveFailed: isState && isLiveness && isTrouble,
    });
  }
  return { found, counts };
}

function matchesNames(session: Session, query: FleetQuery): boolean {
  return (
    (query.project === null || query.project === session.project) &&
    (query.model === null || query.model === session.model) &&
    (query.runner === null || query.runner === session.runner)
  );
}

/** A session without a pressure is in no range. */
function matchesRange(session: Session, range: FleetQuery['range']): boolean {
  if (range === null) return true;
  if (session.pressure === null || session.state === 'untracked') return false;
  const percent = session.pressure * 100;
  return percent >= range.from && (percent <= range.to || range.to === AXIS_END);
}

/** Every word somewhere in what names a session. */
function matchesText(session: Session, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = searchText(session);
  return words.every((word) => text.includes(word));
}

/** A session's object changes only with the session, so its text is joined once. */
const texts = new WeakMap<Session, string>();

function searchText(session: Session): string {
  let text = texts.get(session);
  if (text === undefined) {
    const { title, key, project, runner, host, folder, branch, model, client, clientSessionIds } = session;
    text = [title, key, project, runner, host, folder, branch, model, client, ...clientSessionIds]
      .join('\n')
      .toLowerCase();
    texts.set(session, text);
  }
  return text;
}
