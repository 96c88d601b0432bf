import type postgres from 'postgres';

/** The id of this database's server, created at the first call. Safe when two processes call it at once. */
export async function loadServerId(sql: postgres.ISql): Promise<string> {
  await sql`insert into server_identity default values on conflict do nothing`;
  const [row] = await sql<{ id: string }[]>`select id from server_identity`;
  if (!row) throw new Error('server_identity has no row');
  return row.id;
}
