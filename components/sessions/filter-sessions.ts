import type { PressureState } from '@/core/accounting/types';
import type { Liveness, Session } from '@/core/api/session';
import { AXIS_END, type FleetQuery, NO_FILTER } from './fleet-query';

export const COUNTED_STATES = [
  'redlined',
  'critical',
  'warning',
  'elevated',
  'nominal',
  'unknown',
  'untracked',
] as const satisfies readonly PressureState[];

/** An ended session counts only in `liveness`, and in `states` if the query includes ended sessions. */
export interface StateCounts {
  liveness: Record<Liveness, number>;
  states: Record<PressureState, number>;
  inTrouble: number;
  archiveFailed: number;
  /** Live sessions over their limit, shown inverted. */
  liveOverLimit: number;
}

interface Survey {
  found: Session[];
  /** Each count ignores its own filter: it is the number of sessions that this filter would show. */
  counts: StateCounts;
}

export function surveySessions(sessions: Iterable<Session>, query: FleetQuery): Survey {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const { states, liveness, trouble, archiveFailed } = query;
  const withEnded = liveness.includes('ended');
  const found: Session[] = [];
  const counts: StateCounts = {
    liveness: { live: 0, idle: 0, ended: 0 },
    states: { redlined: 0, critical: 0, warning: 0, elevated: 0, nominal: 0, unknown: 0, untracked: 0 },
    inTrouble: 0,
    archiveFailed: 0,
    liveOverLimit: 0,
  };
  for (const session of sessions) {
    if (!matchesNames(session, query) || !matchesRange(session, query.range) || !matchesText(session, words))
      continue;
    const isOver = session.liveness === 'ended';
    const hasTrouble = session.trouble !== null && !isOver;
    const hasLost = session.archiveFailure !== null && !isOver;
    const isNamedState = states.length === 0 || states.includes(session.state);
    const isState = states.length === 0 || (isNamedState && (withEnded || !isOver));
    const isLiveness = liveness.length === 0 || liveness.includes(session.liveness);
    const isTrouble = !trouble || hasTrouble;
    const isLost = !archiveFailed || hasLost;
    if (isState && isLiveness && isTrouble && isLost) found.push(session);
    if (isNamedState && isTrouble && isLost) counts.liveness[session.liveness] += 1;
    if (hasTrouble && isState && isLiveness && isLost) counts.inTrouble += 1;
    if (hasLost && isState && isLiveness && isTrouble) counts.archiveFailed += 1;
    if (isLiveness && isTrouble && isLost && (withEnded || !isOver)) {
      counts.states[session.state] += 1;
      if (session.liveness === 'live' && session.state === 'redlined') counts.liveOverLimit += 1;
    }
  }
  return { found, counts };
}

const DAY_MS = 86_400_000;

/**
 * Hide the sessions idle for more than a day, and count them. All sessions stay visible if the viewer asks for older
 * sessions or searches, or if no other session is live or idle.
 */
export function hideOlder(
  sessions: ReadonlyMap<string, Session>,
  query: FleetQuery,
  now: number,
): { shown: ReadonlyMap<string, Session>; older: number } {
  const kept = new Map<string, Session>();
  let hasRecent = false;
  for (const [id, session] of sessions) {
    const { liveness, lastTurnAt, startedAt } = session;
    if (liveness === 'idle' && now - Date.parse(lastTurnAt ?? startedAt) > DAY_MS) continue;
    // A project with older sessions only shows them.
    hasRecent ||= liveness !== 'ended' && matchesNames(session, query);
    kept.set(id, session);
  }
  const count = hasRecent ? sessions.size - kept.size : 0;
  return { shown: query.older || count === 0 || query.text !== '' ? sessions : kept, older: count };
}

export function filterSessions(sessions: Iterable<Session>, query: FleetQuery): Session[] {
  return surveySessions(sessions, query).found;
}

export function countStates(sessions: Iterable<Session>): StateCounts {
  return surveySessions(sessions, NO_FILTER).counts;
}

function matchesNames(session: Session, query: FleetQuery): boolean {
  return (['project', 'model', 'runner'] as const).every(
    (name) => query[name] === null || query[name] === session[name],
  );
}

/** A session without a pressure is in no range. */
function matchesRange({ pressure, state }: Session, range: FleetQuery['range']): boolean {
  if (range === null) return true;
  if (pressure === null || state === 'untracked') return false;
  const percent = pressure * 100;
  return percent >= range.from && (percent <= range.to || range.to === AXIS_END);
}

/** The search text of each session object, built once; a changed session is a new object. */
const texts = new WeakMap<Session, string>();

function matchesText(session: Session, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  let text = texts.get(session);
  if (text === undefined) {
    const { title, key, project, runner, host, folder, branch, model, client, clientSessionIds } = session;
    text = [title, key, project, runner, host, folder, branch, model, client, ...clientSessionIds]
      .join('\n')
      .toLowerCase();
    texts.set(session, text);
  }
  return words.every((word) => text.includes(word));
}
