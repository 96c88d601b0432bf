/** The boundaries of a session in words: the next one, a passed restart line, and the limit. */
import { clientNamed } from '@/core/agents/clients';
import type { NextBoundary, Session } from '@/core/api/session';
import { formatMinutes } from './format-duration';
import { formatCount, formatTokens } from './format-tokens';

/** `claude-code` is Claude Code; an unknown client keeps its own name. */
export function clientName(client: string | null): string {
  if (client === null || client === '') return 'Client';
  return clientNamed(client)?.label ?? client;
}

type Boundary = Pick<NextBoundary, 'kind' | 'source'>;

function wordsOf({ kind, source }: Boundary, client: string | null): readonly [title: string, word: string] {
  if (kind === 'compaction') return [`${clientName(client)} compacts`, 'compacts'];
  if (kind === 'limit') return ['Limit reached', 'limit'];
  // A restart line that is only a setting restarts nothing.
  return source === 'setting' ? ['Restart due', 'restart line'] : ['Runner restarts', 'restarts'];
}

/** `Codex compacts`, `Runner restarts`, `Limit reached`. */
export function boundaryTitle(boundary: Boundary, client: string | null): string {
  return wordsOf(boundary, client)[0];
}

/** `compacts`, `restarts`, `limit`. */
export function boundaryWord(boundary: Boundary): string {
  return wordsOf(boundary, null)[1];
}

const SOURCE: Record<NextBoundary['source'], string> = {
  client: 'stated by the client',
  runner: 'the runner’s restart line',
  setting: 'the project’s restart line',
  learned: 'learned from earlier compactions',
  rule: 'known of this client',
  limit: 'the context window',
};

export function boundarySource(source: NextBoundary['source']): string {
  return SOURCE[source];
}

export function isPastRestartLine({ pressure, restartLine, restartLinePassed, state }: Session): boolean {
  if (state === 'untracked' || restartLine === null) return false;
  return restartLinePassed !== null || (pressure !== null && pressure >= restartLine);
}

/** `restart line passed 9 turns ago, no restart seen`; null: no restart line was passed. */
export function passedLineWords(session: Session): string | null {
  if (!isPastRestartLine(session)) return null;
  const turns = session.restartLinePassed?.turnsSince;
  const when =
    turns === undefined ? '' : turns === 0 ? ' with the last turn' : ` ${formatCount(turns, 'turn')} ago`;
  return `restart line passed${when}, no restart seen`;
}

interface RealEnd {
  kind: 'compaction' | 'limit';
  at: number;
  /** Minutes of work; null: unknown. */
  minutes: number | null;
}

/** The boundary after a restart line on which no runner acts; null if the next boundary is not such a line. */
export function realEnd(session: Session): RealEnd | null {
  const { nextBoundary: next, limit, compactsAt, tokensPerMinute, liveness } = session;
  if (next === null || next.passed || next.kind !== 'restart' || next.source !== 'setting') return null;
  if (limit === null) return null;
  const compacts = compactsAt !== null && compactsAt > next.at && compactsAt < limit;
  const at = compacts ? compactsAt : limit;
  // Add the time from the line to this boundary at the pace of the last turns.
  const minutes =
    liveness === 'live' && next.minutes !== null && tokensPerMinute !== null && tokensPerMinute > 0
      ? next.minutes + (at - next.at) / tokensPerMinute
      : null;
  return { kind: compacts ? 'compaction' : 'limit', at, minutes };
}

/** `limit in 16 min`, `compacts in 7 min`; null: no such boundary, or its time is unknown. */
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

interface OverWords {
  /** Two short lines: `next turn`, `may be refused`. */
  lines: readonly [string, string];
  /** For hover. */
  full: string;
}

/** What may happen past the limit. A vendor may refuse a call beyond the window; no vendor checks a sum of turns. */
export function overWords({
  lens,
  estimated,
  client,
}: Pick<Session, 'lens' | 'estimated' | 'client'>): OverWords {
  if (lens === 'cumulative') {
    return {
      lines: ['outcome', 'unknown'],
      full: 'The sum of turns is past the limit. The model does not see this sum, so it is unknown whether a turn is refused; no restart seen',
    };
  }
  const name = client === null || client === '' ? 'its client' : clientName(client);
  const then = clientNamed(client)?.afterRefusal ?? `what ${name} does then is not known`;
  return {
    lines: ['next turn', 'may be refused'],
    full: `${estimated ? 'If the estimate holds, its' : 'Its'} context is longer than its window: the next turn may be refused; ${then}`,
  };
}
