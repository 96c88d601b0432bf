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
import { z } from 'zod';
import { SESSIONS_CHANNEL } from '../db/notify-sessions';

interface SessionChange {
  publicId: string;
  version: number;
}

export interface SessionChanges {
  /** Notify this process's subscribers, after the commit. */
  publish(changes: readonly SessionChange[]): void;
  /** Call `listener` with changes not seen before. Returns a function that ends the subscription. */
  subscribe(listener: (changes: readonly SessionChange[]) => void): () => void;
  close(): Promise<void>;
}

/** Sessions whose newest version is remembered; dropping the oldest costs a repeated hint. */
const MAX_REMEMBERED = 50_000;

const hint = z.array(z.tuple([z.string(), z.int()]));

/** @param onError called when a subscriber throws or a payload cannot be parsed. */
export async function listenToChanges(
  sql: postgres.Sql,
  onError: (error: unknown) => void = () => undefined,
): Promise<SessionChanges> {
  const listeners = new Set<(changes: readonly SessionChange[]) => void>();
  const newest = new Map<string, number>();

  function isNew({ publicId, version }: SessionChange): boolean {
    const known = newest.get(publicId);
    if (known !== undefined && known >= version) return false;
    newest.delete(publicId);
    newest.set(publicId, version);
    const [oldest] = newest.size > MAX_REMEMBERED ? newest.keys() : [];
    if (oldest !== undefined) newest.delete(oldest);
    return true;
  }

  function publish(changes: readonly SessionChange[]): void {
    const fresh = changes.filter(isNew);
    if (fresh.length === 0) return;
    for (const listener of listeners) {
      try {
        listener(fresh);
      } catch (error) {
        onError(error);
      }
    }
  }

  const listening = await sql.listen(SESSIONS_CHANNEL, (payload) => {
    try {
      publish(hint.parse(JSON.parse(payload)).map(([publicId, version]) => ({ publicId, version })));
    } catch (error) {
      onError(error);
    }
  });
  return {
    publish,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      listeners.clear();
      await listening.unlisten();
    },
  };
}
