import type postgres from 'postgres';

/** Ends a token for good. Servers notice within a minute. @returns false where it was unknown or revoked before. */
export async function revokeToken(sql: postgres.Sql, id: number): Promise<boolean> {
  const { count } = await sql`update tokens set revoked_at = now() where id = ${id} and revoked_at is null`;
  return count > 0;
}
