import type postgres from 'postgres';

/** Notes that a token was used; at most once a minute, so that busy tokens are no hot rows. */
export async function touchToken(sql: postgres.Sql, id: number): Promise<void> {
  await sql`
    update tokens set last_used_at = now()
    where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute')`;
}
