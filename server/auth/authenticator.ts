/**
 * Verifies tokens with a small cache: a token costs one query per 40 seconds, however many requests use it. Owns the
 * cache and the LISTEN that empties it: a revoked token ends on every server at once, also on open sockets.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Actor, Right } from '../../core/identity/actor';
import {
  hashToken,
  looksLikeToken,
  TOKENS_CHANNEL,
  type TokenGrant,
  touchToken,
  verifyToken,
} from '../../db/queries/tokens';

const CACHE_MS = 40_000;
const MAX_CACHED = 1_000;
/** Wrong tokens of an address that are answered at once. Each further one waits longer. */
const FREE_FAILURES = 5;
const FAILURES_FADE_MS = 60_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
const MAX_ADDRESSES = 10_000;

export interface Authenticator {
  /**
   * @param address of the peer; each wrong token from it delays the next refusal longer
   * @returns the owner of a token, or null: unknown, revoked, expired, or not a token. @throws database errors
   */
  verify(token: string, address?: string): Promise<Actor | null>;
  /**
   * The logged-in person of a page's request. Host and Origin are already checked. Missing: the server has no accounts.
   * @returns null without a session @throws database errors
   */
  findPerson?(headers: IncomingHttpHeaders): Promise<Actor | null>;
  /** Call back when a token, a log-in or a role may have ended: open sockets must be checked again. @returns a function that stops this */
  onChange(check: () => void): () => void;
  close(): void;
}

/**
 * @param now milliseconds of a clock that never jumps, for the age of cached grants
 * @param maxDelayMs longest delay of the answer to a wrong token
 */
export function createAuthenticator(
  sql: postgres.Sql,
  now: () => number = () => performance.now(),
  maxDelayMs = MAX_DELAY_MS,
): Authenticator {
  /**
   * Keyed by hash, so that a memory dump contains no token. Unknown tokens are not cached, because guesses would fill
   * the cache.
   */
  const cache = new Map<string, { actor: Actor; until: number }>();
  const checks = new Set<() => void>();
  const failures = new Map<string, { count: number; last: number }>();
  const timers = new Set<NodeJS.Timeout>();
  /** Raised by each change, so that a grant that was read before it is not cached after it. */
  let changes = 0;

  function change(): void {
    changes += 1;
    cache.clear();
    for (const check of checks) check();
  }
  // The driver restores a lost connection and then calls `change` again. After a failure, cached grants still expire.
  const listening = sql.listen(TOKENS_CHANNEL, change, change);
  listening.catch(() => undefined);

  /** Checks open sockets when a token expires. For a later expiry, a regular check of the socket sets the timer. */
  function changeAt(remainingMs: number): void {
    if (remainingMs > 2 * CACHE_MS) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      change();
    }, remainingMs + 1);
    timer.unref();
    timers.add(timer);
  }

  async function slowDown(address: string): Promise<void> {
    const known = failures.get(address);
    const isOld = !known || now() - known.last > FAILURES_FADE_MS;
    const count = (isOld ? 0 : known.count) + 1;
    if (failures.size >= MAX_ADDRESSES) failures.clear();
    failures.set(address, { count, last: now() });
    if (count <= FREE_FAILURES) return;
    const delay = Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** (count - FREE_FAILURES - 1));
    await wait(delay, undefined, { ref: false });
  }

  async function find(token: string, address: string | null): Promise<Actor | null> {
    if (!looksLikeToken(token)) return null;
    const hash = hashToken(token).toString('base64');
    const cached = cache.get(hash);
    if (cached && cached.until > now()) return cached.actor;
    cache.delete(hash);
    const before = changes;
    const grant = await verifyToken(sql, token);
    if (!grant) return null;
    const actor = actorOf(grant);
    if (before === changes) {
      if (cache.size >= MAX_CACHED) cache.clear();
      const validForMs = grant.validForMs ?? Number.POSITIVE_INFINITY;
      cache.set(hash, { actor, until: now() + Math.min(CACHE_MS, validForMs) });
      changeAt(validForMs);
    }
    // A failure here can be ignored, because the last use is only shown in the list of tokens.
    touchToken(sql, grant.id, address).catch(() => undefined);
    return actor;
  }

  return {
    async verify(token, address) {
      const actor = await find(token, address ?? null);
      if (!actor && address !== undefined) await slowDown(address);
      return actor;
    },
    onChange(check) {
      checks.add(check);
      return () => void checks.delete(check);
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
      // Not awaited, because an unavailable database would delay the shutdown.
      listening.then(({ unlisten }) => unlisten()).catch(() => undefined);
    },
  };
}

function actorOf({ name, scopes, projects }: TokenGrant): Actor {
  const rights: Right[] = scopes.includes('admin') ? [...scopes, 'operate'] : scopes;
  return { name, grants: (projects ?? [null]).map((project) => ({ rights, project })) };
}
