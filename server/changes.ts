/**
 * Hints about changed sessions, which wake the live feeds.
 *
 * Owns one LISTEN connection and the newest version seen per session. Hints may be lost (the readers' sweep
 * finds what they missed), so nothing here waits, retries or stores more than a bounded map.
 *
 * The transaction that raises a session's version also sends `NOTIFY barograph_sessions` with a JSON array of
 * [publicId, version]. Every server process receives it, the sender too; `publish` reaches this process's
 * subscribers sooner, and the later one is dropped by its version.
 */
import type postgres from 'postgres';
import { SESSIONS_CHANNEL } from '../db/notify-sessions';

interface SessionChange {
  /** Row id where this process wrote it; 0 when the hint came from another process. */
  id: number;
  publicId: string;
  version: number;
}

type SessionChangeListener = (changes: readonly SessionChange[]) => void;

export interface SessionChanges {
  /** Notify this process's subscribers, after the commit. */
  publish(changes: readonly SessionChange[]): void;
  /** Call `listener` with changes not seen before. Returns a function that ends the subscription. */
  subscribe(listener: SessionChangeListener): () => void;
  close(): Promise<void>;
}

/**
 * Sessions whose newest version is remembered. Beyond it the oldest is dropped, at the cost of a repeated
 * hint.
 */
const MAX_REMEMBERED = 50_000;

export interface SessionChangesOptions {
  /** Called when a subscriber throws or a payload cannot be parsed. */
  onError?: (error: unknown) => void;
}

/** Emitter without a database. */
function createLocalChanges(options: SessionChangesOptions = {}): SessionChanges {
  const listeners = new Set<SessionChangeListener>();
  const newest = new Map<string, number>();

  const isNew = (change: SessionChange): boolean => {
    const known = newest.get(change.publicId);
    if (known !== undefined && known >= change.version) return false;
    newest.delete(change.publicId);
    newest.set(change.publicId, change.version);
    if (newest.size > MAX_REMEMBERED) {
      const oldest = newest.keys().next();
      if (!oldest.done) newest.delete(oldest.value);
    }
    return true;
  };

  return {
    publish(changes) {
      const fresh = changes.filter(isNew);
      if (fresh.length === 0) return;
      for (const listener of listeners) {
        try {
          listener(fresh);
        } catch (error) {
          options.onError?.(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    close() {
      listeners.clear();
      return Promise.resolve();
    },
  };
}

/** Emitter that also receives hints of the other server processes on the same database. */
export async function listenToChanges(
  sql: postgres.Sql,
  options: SessionChangesOptions = {},
): Promise<SessionChanges> {
  const local = createLocalChanges(options);
  const listening = await sql.listen(SESSIONS_CHANNEL, (payload) => {
    try {
      local.publish(parseHint(payload));
    } catch (error) {
      options.onError?.(error);
    }
  });
  return {
    publish: local.publish,
    subscribe: local.subscribe,
    async close() {
      await local.close();
      await listening.unlisten();
    },
  };
}

/**
 * Parse a NOTIFY payload.
 * @throws unless it is an array of [publicId, version].
 */
function parseHint(payload: string): SessionChange[] {
  const parsed: unknown = JSON.parse(payload);
  if (!Array.isArray(parsed)) throw new TypeError('a session hint must be an array');
  return parsed.map((pair: unknown) => {
    if (!Array.isArray(pair)) throw new TypeError('a session hint holds pairs');
    const [publicId, version] = pair as unknown[];
    if (typeof publicId !== 'string' || !Number.isSafeInteger(version)) {
      throw new TypeError('a session hint holds pairs of a string and an integer');
    }
    return { id: 0, publicId, version: version as number };
  });
}
