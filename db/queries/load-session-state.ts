import type postgres from 'postgres';
import { transact } from '../transact';
import type { Clock } from './clock';
import type { LoadedSession } from './load-session';
import { loadSession } from './load-session';
import { loadSessionTail, type SessionTail, type TailOptions } from './load-session-tail';

export interface SessionState extends LoadedSession {
  tail: SessionTail;
}

/** A session and its newest end at one moment: no commit falls between the two. Null: there is none. */
export function loadSessionState(
  sql: postgres.Sql,
  publicId: string,
  options: TailOptions,
  clock: Clock,
): Promise<SessionState | null> {
  const read = async (tx: postgres.TransactionSql): Promise<SessionState | null> => {
    const loaded = await loadSession(tx, publicId, clock);
    if (!loaded) return null;
    return { ...loaded, tail: await loadSessionTail(tx, loaded.ref, options) };
  };
  return transact(sql, read, 'isolation level repeatable read read only');
}
