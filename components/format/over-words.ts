/**
 * What may follow past the limit. For single calls the limit is the window: a longer prompt is refused ("prompt is too
 * long"). For summed turns it is a budget that no vendor checks.
 */
import { clientNamed } from '@/core/agents/clients';
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
      row: 'outcome unknown',
      lines: ['outcome', 'unknown'],
      full: 'The sum of turns is past the limit. The model does not see this sum, so it is unknown whether a turn is refused; no restart seen',
    };
  }
  const then =
    clientNamed(client)?.afterRefusal ??
    `what ${client === null || client === '' ? 'its client' : clientName(client)} does then is not known`;
  return {
    row: 'next turn may be refused',
    lines: ['next turn', 'may be refused'],
    full: `${estimated ? 'If the estimate holds, its' : 'Its'} context is longer than its window: the next turn may be refused; ${then}`,
  };
}
