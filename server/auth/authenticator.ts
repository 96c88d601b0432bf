/**
 * Verifies tokens with a small cache: a token costs one query per 40 seconds, however many requests use it. A revoked
 * token works for at most 40 seconds, and on an open socket until the next ping.
 */
import type postgres from 'postgres';
import { hashToken, looksLikeToken, type TokenGrant, touchToken, verifyToken } from '../../db/queries/tokens';

const CACHE_MS = 40_000;
const MAX_CACHED = 1_000;

export interface Authenticator {
  /** @returns what the token allows, or null: unknown, revoked, or not a token. @throws database errors */
  verify(token: string): Promise<TokenGrant | null>;
}

/** @param now milliseconds, for the age of cached grants. */
export function createAuthenticator(sql: postgres.Sql, now: () => number = Date.now): Authenticator {
  /**
   * Keyed by hash, so that a memory dump contains no token. Unknown tokens are not cached, because guesses would fill
   * the cache.
   */
  const cache = new Map<string, { grant: TokenGrant; until: number }>();

  return {
    async verify(token) {
      if (!looksLikeToken(token)) return null;
      const hash = hashToken(token).toString('base64');
      const cached = cache.get(hash);
      if (cached && cached.until > now()) return cached.grant;
      cache.delete(hash);
      const grant = await verifyToken(sql, token);
      if (!grant) return null;
      if (cache.size >= MAX_CACHED) cache.clear();
      cache.set(hash, { grant, until: now() + CACHE_MS });
      // A failure here can be ignored, because the time of the last use is only shown in the list of tokens.
      touchToken(sql, grant.id).catch(() => undefined);
      return grant;
    },
  };
}
