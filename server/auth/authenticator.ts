/**
 * Who shows a token, and what it allows. It owns a small cache of verified tokens: a thousand requests a
 * second cost one look into the database a minute, and a revoked token works for at most that minute.
 */
import type postgres from 'postgres';
import { hashToken, looksLikeToken } from '../../db/queries/tokens/token-hash';
import type { TokenGrant } from '../../db/queries/tokens/token-scope';
import { touchToken } from '../../db/queries/tokens/touch-token';
import { verifyToken } from '../../db/queries/tokens/verify-token';

const CACHE_MS = 60_000;
const MAX_CACHED = 1_000;

export interface Authenticator {
  /**
   * @returns what the token allows, or null: unknown, revoked, or no token.
   * @throws what the database throws when it cannot be asked.
   */
  verify(token: string): Promise<TokenGrant | null>;
}

/** @param now milliseconds, for the age of what is cached. */
export function createAuthenticator(sql: postgres.Sql, now: () => number = Date.now): Authenticator {
  /** By hash, so that a memory dump holds no token. Only known tokens: guesses must not fill it. */
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
      // Only for the list of tokens: a database that fails here fails the work itself soon enough.
      touchToken(sql, grant.id).catch(() => undefined);
      return grant;
    },
  };
}
