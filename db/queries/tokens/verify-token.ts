import type postgres from 'postgres';
import { hashToken, looksLikeToken } from './token-hash';
import type { TokenGrant } from './token-scope';

/** @returns what the token allows, or null: unknown, revoked, or no token at all. */
export async function verifyToken(sql: postgres.Sql, token: string): Promise<TokenGrant | null> {
  if (!looksLikeToken(token)) return null;
  const rows = await sql<TokenGrant[]>`
    select id, name, scope from tokens where hash = ${hashToken(token)} and revoked_at is null`;
  return rows[0] ?? null;
}
