import type postgres from 'postgres';

/** The tables that contain a text in any column, whatever its case. */
export async function findPlanted(sql: postgres.Sql, text: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql`
      select from ${sql.unsafe(name)} t where strpos(lower(t::text), ${text.toLowerCase()}) > 0 limit 1`;
    if (rows.length > 0) found.push(name);
  }
  return found.sort();
}
