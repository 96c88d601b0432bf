import type postgres from 'postgres';
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
  const token = makeToken();
  await sql`insert into tokens (name, scope, hash) values (${name}, ${scope}, ${hashToken(token)})`;
  return token;
}
