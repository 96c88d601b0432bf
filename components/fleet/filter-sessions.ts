import type { Session } from '@/core/api/session';
import { AXIS_END, type FleetQuery } from './fleet-query';
import { isInTrouble } from './prepare-counts';

/** The sessions of a query, in no order. */
export function filterSessions(sessions: Iterable<Session>, query: FleetQuery): Session[] {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found: Session[] = [];
  for (const session of sessions) {
    if (matchesFields(session, query) && matchesRange(session, query.range) && matchesText(session, words)) {
      found.push(session);
    }
  }
  return found;
}

function matchesFields(session: Session, query: FleetQuery): boolean {
  return (
    (query.states.length === 0 || query.states.includes(session.state)) &&
    (query.liveness.length === 0 || query.liveness.includes(session.liveness)) &&
    (!query.trouble || isInTrouble(session)) &&
    (query.project === null || query.project === session.project) &&
    (query.model === null || query.model === session.model) &&
    (query.runner === null || query.runner === session.runner)
  );
}

/** A session whose pressure is not known is in no range. */
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
