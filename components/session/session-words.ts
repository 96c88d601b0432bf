/** A session's facts as people say them. */

import type { Session } from '@/core/api/session';
import { formatTokens } from '../format/format-tokens';

const LIMIT_SOURCE: Record<Session['limitSource'], string> = {
  turn: 'stated with the turn',
  client: 'stated by the client',
  session: 'set for this session',
  table: 'model table',
  learned: 'learned from this session',
  assumed: 'assumed, nobody stated one',
  none: '',
};

/** Where the limit comes from. */
export function limitSourceWords(source: Session['limitSource']): string {
  return LIMIT_SOURCE[source];
}

/** Ids go into a command line: anything but plain characters is left to the reader to quote. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** How each client opens a session again by its id. */
const RESUME: Readonly<Record<string, string>> = {
  'claude-code': 'claude --resume',
  codex: 'codex resume',
  gemini: 'gemini --resume',
};

/** The command that opens this session again in its client; null where none is known. */
export function resumeCommand(session: Pick<Session, 'client' | 'clientSessionIds'>): string | null {
  const id = session.clientSessionIds.at(-1);
  const command = Object.hasOwn(RESUME, session.client ?? '') ? RESUME[session.client ?? ''] : undefined;
  return command === undefined || id === undefined || !PLAIN_ID.test(id) ? null : `${command} ${id}`;
}

/** The last two names of a long folder: what tells one checkout from another. */
export function shortFolder(folder: string): string {
  const home = folder.replace(/^\/(?:home|Users)\/[^/]+/, '~');
  const parts = home.split('/');
  return parts.length <= 4 ? home : `…/${parts.slice(-2).join('/')}`;
}

/** Why nothing can be said, in the place of the number. */
export function unknownReason(session: Session, endedBy: 'restart' | 'compaction' | 'clear' | null): string {
  const since = endedBy === null ? 'no reading yet' : `since the ${endedBy}`;
  return session.lastKnownUsed === null
    ? since
    : `${since}; last known ${formatTokens(session.lastKnownUsed)}`;
}
