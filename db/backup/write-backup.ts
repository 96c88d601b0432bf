/**
 * Writes a database as an SQL script, in the format of pg_dump: the migrations that made the schema, and the rows as
 * COPY blocks. The packaged PostgreSQL has no pg_dump. A script outlives major versions of PostgreSQL, and psql reads it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type postgres from 'postgres';
import { READ_ONLY, transact } from '../transact';

/** Between two statements, as in drizzle's migrations. A comment for psql. */
export const BREAKPOINT = '--> statement-breakpoint';
/** A file without this last line is incomplete. */
export const LAST_LINE = '-- End of the backup.';

export type WriteText = (text: string | Uint8Array) => Promise<void>;

interface Relation {
  name: string;
  schema: string;
  columns: string[];
  /** Of a partition: its parent, its bounds and its storage settings. */
  parent: string | null;
  bounds: string;
  storage: string | null;
  /** Tables that must be filled first. */
  references: string[];
}

/**
 * One snapshot, so that the backup contains all transactions up to a moment and none after it. Writers are not blocked.
 * @returns number of turns
 * @throws an Error for the operator if another version made the schema
 */
export function writeBackup(sql: postgres.Sql, migrationsFolder: string, write: WriteText): Promise<number> {
  return transact(sql, async (tx) => dump(tx, migrationsFolder, write), READ_ONLY);
}

/** A sentence per archive store, because a backup has only the addresses of its objects. */
export async function listMissingBytes(sql: postgres.ISql): Promise<string[]> {
  const rows = await sql<{ store: string; chunks: number; megabytes: string }[]>`
    select regexp_replace(address, '(/[^/]+){2}$', '') as store, count(*)::int as chunks,
      round(sum(stored_bytes) / 1e6, 1)::text as megabytes
    from transcript_chunks where address is not null group by 1 order by 1`;
  return rows.map(
    ({ store, chunks, megabytes }) =>
      `The backup does not contain ${chunks} chunks of archives (${megabytes} MB), which are in ${store}.`,
  );
}

async function dump(
  tx: postgres.TransactionSql,
  migrationsFolder: string,
  write: WriteText,
): Promise<number> {
  await tx.unsafe(
    `set local bytea_output = hex; set local datestyle = 'ISO'; set local intervalstyle = postgres`,
  );
  const migrations = await readAppliedMigrations(tx, migrationsFolder);
  const relations = sortByReferences(await listRelations(tx));
  const names = relations.map(({ schema, name }) => `${schema}.${name}`).join(', ');
  // Retention cannot drop a partition before it is read.
  await tx.unsafe(`lock table ${names} in access share mode`);
  const statement = (text: string) => write(`${text.trim()}\n${BREAKPOINT}\n`);

  await write(
    `-- A backup of Barograph: barograph restore FILE, or psql --single-transaction -v ON_ERROR_STOP=1.\n`,
  );
  for (const line of await listMissingBytes(tx)) await write(`-- ${line}\n`);
  for (const text of migrations) await statement(text);
  await statement('create schema if not exists drizzle;');
  await statement(
    'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);',
  );
  for (const { name, parent, bounds, storage } of relations) {
    if (parent === null) continue;
    await statement(
      `create table ${name} (like ${parent} including all)${storage ? ` with (${storage})` : ''};`,
    );
    await statement(`alter table ${parent} attach partition ${name} ${bounds};`);
  }
  // Migrations may insert rows.
  await statement(`truncate ${names};`);
  for (const relation of relations) await copyOut(tx, relation, write);
  const sequences = await tx<{ name: string; value: string; called: boolean }[]>`
    select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value)::text as value,
      last_value is not null as called
    from pg_sequences where schemaname in (current_schema(), 'drizzle') order by 1`;
  for (const { name, value, called } of sequences) {
    await statement(`select pg_catalog.setval('${name}', ${value}, ${called});`);
  }
  await write(`${LAST_LINE}\n`);
  const [row] = await tx<{ turns: number }[]>`select count(*) as turns from turns`;
  return row?.turns ?? 0;
}

/** Texts of the migrations that the database has. */
async function readAppliedMigrations(tx: postgres.TransactionSql, folder: string): Promise<string[]> {
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')) as {
    entries: { tag: string }[];
  };
  const texts = entries.map(({ tag }) => readFileSync(join(folder, `${tag}.sql`), 'utf8'));
  const rows = await tx<
    { hash: string }[]
  >`select hash from drizzle.__drizzle_migrations order by created_at`;
  return rows.map(({ hash }, index) => {
    const text = texts[index];
    if (text !== undefined && createHash('sha256').update(text).digest('hex') === hash) return text;
    throw new Error('Another version of Barograph made this database. Make the backup with that version.');
  });
}

async function listRelations(tx: postgres.TransactionSql): Promise<Relation[]> {
  return await tx<Relation[]>`
    select c.relname as name, n.nspname as schema, p.relname as parent,
      coalesce(pg_get_expr(c.relpartbound, c.oid), '') as bounds, array_to_string(c.reloptions, ', ') as storage,
      (select array_agg(quote_ident(attname) order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      array(select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as references
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relkind = 'r' and n.nspname in (current_schema(), 'drizzle') order by c.relname`;
}

/** A table after all tables that it references. */
function sortByReferences(relations: readonly Relation[]): Relation[] {
  const sorted = new Set<Relation>();
  const add = (relation: Relation, path: readonly Relation[]): void => {
    if (sorted.has(relation)) return;
    if (path.includes(relation)) throw new Error(`tables reference each other: ${relation.name}`);
    for (const name of relation.references) {
      const other = relations.find((each) => each.name === name);
      if (other) add(other, [...path, relation]);
    }
    sorted.add(relation);
  };
  for (const relation of relations) add(relation, []);
  return [...sorted];
}

async function copyOut(tx: postgres.TransactionSql, { schema, name, columns }: Relation, write: WriteText) {
  const table = `${schema}.${name} (${columns.join(', ')})`;
  await write(`copy ${table} from stdin;\n`);
  const rows = await tx.unsafe(`copy ${table} to stdout`).readable();
  for await (const chunk of rows) await write(chunk);
  // The driver pauses its socket for a slow reader, and does not resume it after the last row.
  rows._read(0);
  await write(`\\.\n${BREAKPOINT}\n`);
}
