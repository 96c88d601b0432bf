import type postgres from 'postgres';

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/**
 * Rows of a query as one JSON value, in its order. The client takes each column of each row apart in
 * JavaScript, which for a thousand rows costs several times what the database takes to find them; JSON is
 * parsed natively. For numbers, text and booleans alone: a time must be selected as a number.
 */
export async function readAsJson<T>(sql: postgres.ISql, query: Fragment): Promise<T[]> {
  const [row] = await sql<{ rows: T[] }[]>`
    select coalesce(json_agg(to_json(q)), '[]'::json) as rows from (${query}) q`;
  return row?.rows ?? [];
}

/** A time as whole milliseconds since the epoch. */
export function milliseconds(sql: postgres.ISql, time: Fragment) {
  return sql`(extract(epoch from ${time}) * 1000)::bigint`;
}
