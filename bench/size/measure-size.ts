/** Bytes on disk per turn, of everything the database keeps: indexes, rollups, folds, events, and bloat. */
import type postgres from 'postgres';

export interface Size {
  turns: number;
  bytesPerTurn: number;
  /** Of the turns' own table with its indexes. */
  turnsTable: number;
}

interface TableSize {
  name: string;
  bytes: number;
}

/** Sizes of the database's tables now; partitions under their table's name. */
export async function readSizes(sql: postgres.Sql): Promise<Map<string, number>> {
  // What was written last is in the statistics of no one yet, but its files have grown.
  const rows = await sql<TableSize[]>`
    select coalesce(p.relname, c.relname) as name, sum(pg_total_relation_size(c.oid))::bigint as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1`;
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

/** What `turns` more turns cost, from the sizes before and after them. */
export function sizeOf(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  turns: number,
): Size {
  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  const total = [...after.keys()].reduce((sum, name) => sum + grown(name), 0);
  return { turns, bytesPerTurn: total / turns, turnsTable: grown('turns') / turns };
}
