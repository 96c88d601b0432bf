import type postgres from 'postgres';

/** Ids of models by name. New names get rows, except with `areKnown`. */
export async function modelIds(
  sql: postgres.ISql,
  names: readonly string[],
  { areKnown = false } = {},
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await sql<{ id: number; name: string }[]>`
    select id, name from models where md5(name) = any(array(select md5(n) from unnest(${[...names]}::text[]) n))`;
  const found = new Map(rows.map(({ id, name }) => [name, id]));
  const missing = names.filter((name) => !found.has(name));
  if (areKnown || missing.length === 0) return found;
  await sql`insert into models (name) select unnest(${missing}::text[]) on conflict do nothing`;
  return new Map([...found, ...(await modelIds(sql, missing, { areKnown: true }))]);
}
