/** Bytes on disk per turn, of everything the database keeps: indexes, rollups, folds, events, and bloat. */
import type postgres from 'postgres';
import { rollUpAll } from '../db/history/history-testing';
import { type BenchDatabase, openBenchStream, record } from './lib/bench-database';
import type { Figure } from './lib/figures';
import { createTurnSource } from './lib/make-turns';
import { fillSession } from './measure-series';

const FLEET: readonly { sessions: number; turns: number }[] = [
  { sessions: 80, turns: 750 },
  { sessions: 16, turns: 1_500 },
  { sessions: 4, turns: 4_000 },
];
const TURNS_PER_DELIVERY = 10;

export async function measureSize({ sql }: BenchDatabase): Promise<Figure[]> {
  // Create the partitions first, so that only turns are counted.
  await fillSession(sql, 'first of its month', 10);
  const before = await readSizes(sql);
  const turns = await fillFleet(sql);
  await rollUpAll(sql);
  // Autovacuum has not removed its dead rows yet.
  await sql`vacuum history_changes`;
  const after = await readSizes(sql);
  const perTurn = (name: string) => ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / turns;
  const total = [...after.keys()].reduce((sum, name) => sum + perTurn(name), 0);
  return [
    { name: 'On disk per turn, with all indexes and rollups', value: total, unit: 'bytes', most: 300 },
    { name: 'The turn’s own row', value: perTurn('turns'), unit: 'bytes' },
  ];
}

/** Record turns of a hundred sessions, ten of each at a time, like a live fleet. Returns their number. */
async function fillFleet(sql: postgres.Sql): Promise<number> {
  const sizes = FLEET.flatMap(({ sessions, turns }) => Array<number>(sessions).fill(turns));
  const writers = await Promise.all(
    sizes.map(async (turns, index) => ({
      left: turns,
      stream: await openBenchStream(sql, 'bench-size', `runner-${index}`),
      source: createTurnSource(`fleet-${index}`, index, Date.now() - turns * 3_000 - 60_000),
    })),
  );
  for (;;) {
    const open = writers.filter(({ left }) => left > 0);
    if (open.length === 0) return sizes.reduce((sum, turns) => sum + turns, 0);
    const deliveries = open.map((writer) => {
      const count = Math.min(TURNS_PER_DELIVERY, writer.left);
      writer.left -= count;
      return { stream: writer.stream, items: writer.source.next(count) };
    });
    await record(sql, deliveries);
  }
}

/** Current sizes of the database's tables. Partitions count towards their table. */
async function readSizes(sql: postgres.Sql): Promise<Map<string, number>> {
  // Statistics lag behind; the sizes of files do not.
  const rows = await sql<{ name: string; bytes: number }[]>`
    select coalesce(p.relname, c.relname) as name, sum(pg_total_relation_size(c.oid))::bigint as bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1`;
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
