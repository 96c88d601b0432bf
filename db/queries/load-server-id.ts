import type postgres from 'postgres';

/** The id of this database's server, made at the first look. Safe when two processes look at once. */
export async function loadServerId(sql: postgres.ISql): Promise<string> {
  await sql`insert into server_identity default values on conflict do nothing`;
  const [row] = await sql<{ id: string }[]>`select id from server_identity`;
  if (!row) throw new Error('the row of the server’s identity is there');
  return row.id;
}
