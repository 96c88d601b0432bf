import type postgres from 'postgres';

/** Ids of models by name. New names get rows, except with `areKnown`. */
export async function modelIds(
  sql: postgres.ISql,
  names: readonly string[],
  { areKnown = false } = {},
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const asked = JSON.stringify(names);
  if (!areKnown) {
    await sql`
      insert into models (name) select value from json_array_elements_text(${asked}::text::json) as value
      where not exists (select 1 from models m where md5(m.name) = md5(value))
      on conflict do nothing`;
  }
  const rows = await sql<{ id: number; name: string }[]>`
    select m.id, m.name from json_array_elements_text(${asked}::text::json) as value
    join models m on md5(m.name) = md5(value)`;
  return new Map(rows.map(({ id, name }) => [name, id]));
}
