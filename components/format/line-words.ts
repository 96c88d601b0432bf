/**
 * Restart lines in words. A line that is only a setting causes no restart unless the runner declared it or restarted
 * before: the session continues to its compaction or limit.
 */
import type { Session } from '@/core/api/session';
import { clientName } from './boundary-words';
import { formatMinutes } from './format-duration';
import { formatCount, formatTokens } from './format-tokens';

/** Whether the current context is past its restart line. */
export function isPastRestartLine({ pressure, restartLine, restartLinePassed, state }: Session): boolean {
  if (state === 'untracked' || restartLine === null) return false;
  return restartLinePassed !== null || (pressure !== null && pressure >= restartLine);
}

/** `9 turns ago`, `with the last turn`; empty where it is not known. */
function passedWhen({ restartLinePassed }: Session): string {
  if (restartLinePassed === null) return '';
  const { turnsSince } = restartLinePassed;
  return turnsSince === 0 ? ' with the last turn' : ` ${formatCount(turnsSince, 'turn')} ago`;
}

/** `restart line passed 9 turns ago, no restart seen`; null: it lies ahead, or there is none. */
export function passedLineWords(session: Session): string | null {
  if (!isPastRestartLine(session)) return null;
  return `restart line passed${passedWhen(session)}, no restart seen`;
}

/** The boundary after a restart line without restarts. */
export interface RealEnd {
  kind: 'compaction' | 'limit';
  at: number;
  /** Minutes of work until there; null: not known. */
  minutes: number | null;
}

/** The boundary after a restart line that is only a setting; null for other boundaries. */
export function realEnd(session: Session): RealEnd | null {
  const { nextBoundary: next, limit, compactsAt, tokensPerMinute, liveness } = session;
  if (next === null || next.passed || next.kind !== 'restart' || next.source !== 'setting') return null;
  if (limit === null) return null;
  const compacts = compactsAt !== null && compactsAt > next.at && compactsAt < limit;
  const at = compacts ? compactsAt : limit;
  // As long as until the line, and from there on at the pace of the last turns.
  const { minutes: until } = next;
  const minutes =
    liveness === 'live' && until !== null && tokensPerMinute !== null && tokensPerMinute > 0
      ? until + (at - next.at) / tokensPerMinute
      : null;
  return { kind: compacts ? 'compaction' : 'limit', at, minutes };
}

/** `limit in 16 min`, `compacts in 7 min`; null: there is no such end, or its time is not known. */
export function realEndBrief(session: Session): string | null {
  const end = realEnd(session);
  if (end === null || end.minutes === null) return null;
  return `${end.kind === 'limit' ? 'limit' : 'compacts'} in ${formatMinutes(end.minutes)}`;
}

/** `no restart seen here; limit 200 k in about 12 min`. */
export function realEndWords(session: Session): string | null {
  const end = realEnd(session);
  if (end === null) return null;
  const what = end.kind === 'limit' ? 'limit' : `${clientName(session.client)} compacts at`;
  const when = end.minutes === null ? '' : ` in about ${formatMinutes(end.minutes)}`;
  return `no restart seen here; ${what} ${formatTokens(end.at)}${when}`;
}
