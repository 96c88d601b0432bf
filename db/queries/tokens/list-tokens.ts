import type postgres from 'postgres';
import type { TokenGrant } from './token-scope';

export interface ListedToken extends TokenGrant {
  createdAt: Date;
  /** Exact to a minute; null: never. */
  lastUsedAt: Date | null;
}

/** Tokens that are good, the oldest first. Never the tokens themselves: only their hashes are kept. */
export async function listTokens(sql: postgres.Sql): Promise<ListedToken[]> {
  return await sql<ListedToken[]>`
    select id, name, scope, created_at as "createdAt", last_used_at as "lastUsedAt"
    from tokens
    where revoked_at is null
    order by id`;
}
