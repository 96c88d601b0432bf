import { clientNamed } from '@/core/agents/clients';
import type { Session } from '@/core/api/session';
import { formatTokens } from '../../format/format-tokens';

/** Ids go into a command line: other characters would need quoting. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Command that reopens this session in its client; null where none is known. */
export function resumeCommand(session: Pick<Session, 'client' | 'clientSessionIds'>): string | null {
  const id = session.clientSessionIds.at(-1);
  const command = clientNamed(session.client)?.resume;
  return command === undefined || id === undefined || !PLAIN_ID.test(id) ? null : `${command} ${id}`;
}

/** The last two names of a long folder. */
export function shortFolder(folder: string): string {
  const home = folder.replace(/^\/(?:home|Users)\/[^/]+/, '~');
  const parts = home.split('/');
  return parts.length <= 4 ? home : `…/${parts.slice(-2).join('/')}`;
}

/** Why the number is unknown. */
export function unknownReason(session: Session, endedBy: 'restart' | 'compaction' | 'clear' | null): string {
  const since = endedBy === null ? 'no reading yet' : `since the ${endedBy}`;
  return session.lastKnownUsed === null
    ? since
    : `${since}; last known ${formatTokens(session.lastKnownUsed)}`;
}
