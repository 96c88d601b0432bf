/**
 * What follows for a session that is past its limit, as far as anybody knows. A limit is the window of a call where the source
 * sees single calls: a prompt that is longer is refused ("prompt is too long"). Where turns are summed it is a budget, and
 * no vendor looks at it.
 */
import type { Session } from '@/core/api/session';
import { clientName } from './boundary-words';

export interface OverWords {
  /** For a row: `next turn may be refused`. */
  row: string;
  /** The same in two lines, for large letters. */
  lines: readonly [string, string];
  /** For hover, with what is not known. */
  full: string;
}

export function overWords({
  lens,
  estimated,
  client,
}: Pick<Session, 'lens' | 'estimated' | 'client'>): OverWords {
  if (lens === 'cumulative') {
    return {
      row: 'what follows is not known',
      lines: ['what follows', 'is not known'],
      full: 'The sum of its turns is past the limit that was set. The model sees no such sum: whether a turn is refused is not known, and no restart was seen',
    };
  }
  const then =
    client === 'claude-code'
      ? 'after a refusal Claude Code compacts'
      : `what ${client === null || client === '' ? 'its client' : clientName(client)} does then is not known`;
  return {
    row: 'next turn may be refused',
    lines: ['next turn', 'may be refused'],
    full: `${estimated ? 'If the estimate holds, its' : 'Its'} context is longer than its window: the next turn may be refused; ${then}`,
  };
}
