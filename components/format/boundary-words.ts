/** The boundaries of a session in words: the next one, a passed restart line, and the limit. */
import { clientNamed } from '@/core/agents/clients';
import type { NextBoundary, Session } from '@/core/api/session';
import { formatMinutes } from './format-duration';
import { formatCount, formatTokens } from './format-tokens';

/** Label of a client: `claude-code` is Claude Code; an unknown client keeps its own name. */
export function clientName(client: string | null): string {
  if (client === null || client === '') return 'Client';
  return clientNamed(client)?.label ?? client;
}

type Boundary = Pick<NextBoundary, 'kind' | 'source'>;

function wordsOf({ kind, source }: Boundary, client: string | null): readonly [title: string, word: string] {
  if (kind === 'compaction') return [`${clientName(client)} compacts`, 'compacts'];
  if (kind === 'limit') return ['Limit reached', 'limit'];
  // At a line that is only a setting a restart may not happen.
  return source === 'setting' ? ['Restart due', 'restart line'] : ['Runner restarts', 'restarts'];
}

/** The boundary without its place: `Codex compacts`, `Runner restarts`, `Limit reached`. */
export function boundaryTitle(boundary: Boundary, client: string | null): string {
  return wordsOf(boundary, client)[0];
}

/** For narrow places: `compacts`, `restarts`, `limit`. */
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

/** How the boundary's place is known, for hover. */
export function boundarySource(source: NextBoundary['source']): string {
  return SOURCE[source];
}

/** Whether the current context is past its restart line. */
export function isPastRestartLine({ pressure, restartLine, restartLinePassed, state }: Session): boolean {
  if (state === 'untracked' || restartLine === null) return false;
  return restartLinePassed !== null || (pressure !== null && pressure >= restartLine);
}

/** `restart line passed 9 turns ago, no restart seen`; null: it lies ahead, or there is none. */
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
  /** Minutes of work until there; null: not known. */
  minutes: number | null;
}

/** The boundary after a restart line that is only a setting, which causes no restart; null for other boundaries. */
export function realEnd(session: Session): RealEnd | null {
  const { nextBoundary: next, limit, compactsAt, tokensPerMinute, liveness } = session;
  if (next === null || next.passed || next.kind !== 'restart' || next.source !== 'setting') return null;
  if (limit === null) return null;
  const compacts = compactsAt !== null && compactsAt > next.at && compactsAt < limit;
  const at = compacts ? compactsAt : limit;
  // As long as until the line, and from there on at the pace of the last turns.
  const minutes =
    liveness === 'live' && next.minutes !== null && tokensPerMinute !== null && tokensPerMinute > 0
      ? next.minutes + (at - next.at) / tokensPerMinute
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

interface OverWords {
  /** For large letters: `next turn`, `may be refused`. */
  lines: readonly [string, string];
  /** For hover, with what is not known. */
  full: string;
}

/**
 * What may follow past the limit. For single calls the limit is the window: a longer prompt is refused. For summed turns
 * it is a budget that no vendor checks.
 */
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
