/** The boundaries of a session in words: the next one, a passed restart line, and the limit. */
import { clientNamed } from '@/core/agents/clients';
import type { NextBoundary, Session } from '@/core/api/session';
import { formatCount } from './format-tokens';

/** `claude-code` is Claude Code; an unknown client keeps its own name. */
export function clientName(client: string | null): string {
  if (client === null || client === '') return 'Client';
  return clientNamed(client)?.label ?? client;
}

type Boundary = Pick<NextBoundary, 'kind'>;

/** `Codex compacts`, `Runner restarts`, `Reaches limit`. */
export function boundaryTitle({ kind }: Boundary, client: string | null): string {
  if (kind === 'compaction') return `${clientName(client)} compacts`;
  return kind === 'limit' ? 'Reaches limit' : 'Runner restarts';
}

const WORD: Record<Boundary['kind'], string> = {
  compaction: 'compacts',
  restart: 'restarts',
  limit: 'limit',
};

/** `compacts`, `restarts`, `limit`. */
export function boundaryWord({ kind }: Boundary): string {
  return WORD[kind];
}

const SOURCE: Record<NextBoundary['source'], string> = {
  client: 'stated by the client',
  runner: 'the runner’s restart line',
  learned: 'learned from earlier compactions',
  rule: 'the client’s default',
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
      full: 'The sum of turns is past the limit. The model does not see this sum, so turns may still succeed; no restart seen',
    };
  }
  const then = clientNamed(client)?.afterRefusal ?? 'the outcome is unknown';
  return {
    lines: ['next turn', 'may be refused'],
    full: `${estimated ? 'If the estimate holds, its' : 'Its'} context exceeds its window: the next turn may be refused; ${then}`,
  };
}
