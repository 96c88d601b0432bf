import type postgres from 'postgres';
import type { ListedToken } from './list-tokens';
import { hashToken, makeToken } from './token-hash';
import type { TokenScope } from './token-scope';

/**
 * Makes an access token and stores its hash.
 * @param name says whose it is; 1 to 200 characters, need not be unique.
 * @returns the token itself, which nobody can read again.
 */
export async function createToken(
  sql: postgres.Sql,
  { name, scope }: { name: string; scope: TokenScope },
): Promise<string> {
  return (await issueToken(sql, { name, scope })).secret;
}

/** The same, with what lists show of the token beside it. */
export async function issueToken(
  sql: postgres.ISql,
  { name, scope }: { name: string; scope: TokenScope },
): Promise<{ secret: string; token: ListedToken }> {
  const secret = makeToken();
  const [token] = await sql<ListedToken[]>`
    insert into tokens (name, scope, hash) values (${name}, ${scope}, ${hashToken(secret)})
    returning id, name, scope, created_at as "createdAt", last_used_at as "lastUsedAt"`;
  if (!token) throw new Error('the database stored no token');
  return { secret, token };
}
