/**
 * Builds statements from the columns, types and keys in db/schema, so that a new column is described once. Rows have
 * times in milliseconds and 64-bit hashes as text.
 */
import { type Column, getTableColumns, getTableName, type Table } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import type postgres from 'postgres';
import { toJsonText } from './json-text';

type Columns<T extends Table> = T['_']['columns'];
type Cell<C extends Column, Time> =
  | (C['_']['columnType'] extends 'PgTimestampString'
      ? Time
      : C['_']['columnType'] extends 'PgBigInt64'
        ? string
        : C['_']['data'])
  | (C['_']['notNull'] extends true ? never : null);

/** A row of a table. `Time`: type of its times. */
export type Row<T extends Table, Time = number> = { [K in keyof Columns<T>]: Cell<Columns<T>[K], Time> };
export type Name<T extends Table> = keyof Columns<T> & string;

export type Write<R, Result extends object = postgres.Row> = (
  tx: postgres.TransactionSql,
  rows: readonly R[],
) => Promise<readonly Result[]>;

interface SqlColumn {
  key: string;
  name: string;
  type: string;
  isTime: boolean;
}

export function otherNames<T extends PgTable, K extends Name<T>>(table: T, without: readonly K[]) {
  const names = Object.keys(getTableColumns(table)) as Name<T>[];
  return names.filter((name): name is Exclude<Name<T>, K> => !without.some((other) => other === name));
}

function columnsOf<T extends PgTable>(table: T, keys?: readonly Name<T>[]): SqlColumn[] {
  const columns: Record<string, Column> = getTableColumns(table);
  return (keys ?? Object.keys(columns)).map((key) => {
    const type = columns[key]?.getSQLType();
    if (type === undefined) throw new TypeError(`${getTableName(table)} has no column ${key}`);
    const isTime = type.startsWith('timestamp');
    return { key, name: snake(key), type: isTime ? 'float8' : type, isTime };
  });
}

export const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const names = (columns: readonly SqlColumn[]): string => columns.map(({ name }) => name).join(', ');
const valueSql = ({ key, isTime }: SqlColumn): string =>
  isTime ? `to_timestamp(r."${key}" / 1000.0)` : `r."${key}"`;

/** Records with columns of a table, for a `statement`. Times are milliseconds. */
export function recordset<T extends PgTable>(table: T, keys?: readonly Name<T>[]): string {
  return `records (${columnsOf(table, keys).map(({ key, type }) => `"${key}" ${type}`)})`;
}

function primaryKey(table: PgTable): string[] {
  const { columns, primaryKeys } = getTableConfig(table);
  const composite = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  return composite.map(({ name }) => snake(name));
}

/**
 * A statement that reads rows as `records (key type, …)`, which get the name `r`. Each column is an array parameter. Arrays
 * cost the server less than JSON, and a distributed database can plan them. Without rows, nothing is sent.
 *
 * `within(column, key)` is a condition that is true for the column of all rows. A cached plan needs it on a partitioned
 * table: without it, PostgreSQL opens the partitions of all months before it knows which ones the rows need. Use it behind
 * `offset 0`, because a plan could otherwise read all rows of the range.
 */
export function statement<R extends object, Result extends object = postgres.Row>(
  text: string,
): Write<R, Result> {
  const [records = '', definition = ''] = /records \((.*?)\)/.exec(text) ?? [];
  const columns = [...definition.matchAll(/"?(\w+)"? ([\w ]+)/g)];
  const arrays = columns.map(([, , type], index) => `$${index + 1}::text::${type}[]`);
  const names = columns.map(([, key]) => `"${key}"`);
  // Citus fails on a bare unnest of arrays with different types.
  const read = text.replace(records, () => `(select * from unnest(${arrays}) as u (${names})) r`);
  const [, bounded] = /within\([\w.]+, (\w+)\)/.exec(text) ?? [];
  const bounds = [1, 2].map((place) => `$${arrays.length + place}::bigint`).join(' and ');
  const sql = read.replace(/within\(([\w.]+), \w+\)/g, (_, column) => `${column} between ${bounds}`);
  const writers = columns.map(([, key, type = '']) => [key as keyof R, elementWriter(type)] as const);
  const parameters = (rows: readonly R[]) => [
    ...writers.map(([key, write]) => arrayOf(rows, key, write)),
    ...(bounded === undefined ? [] : boundsOf(rows, bounded as keyof R)),
  ];
  return async (tx, rows) =>
    rows.length === 0 ? [] : tx.unsafe<Result[]>(sql, parameters(rows), { prepare: true });
}

function boundsOf<R>(rows: readonly R[], key: keyof R): [least: number, most: number] {
  const values = rows.map((row) => Number(row[key]));
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

/** An array literal of a property. The default is for numbers and ids, which need no quotes. */
export function arrayOf<R>(rows: readonly R[], key: keyof R, write = orNull): string {
  return `{${rows.map((row) => write(row[key])).join(',')}}`;
}

const orNull = (value: unknown): unknown => value ?? 'NULL';

/** Writes a value as an element of an array literal. As in JSON, numbers that are not finite become null. */
function elementWriter(type: string): (value: unknown) => unknown {
  if (type.startsWith('json'))
    // Quotes and backslashes are the only characters of JSON that an array literal escapes.
    return (value) => (value == null ? 'NULL' : JSON.stringify(toJsonText(value)));
  if (type === 'text')
    return (value) =>
      value == null ? 'NULL' : `"${String(value).replaceAll('\0', '\ufffd').replace(/["\\]/g, '\\$&')}"`;
  if (/float|double/.test(type)) return (value) => (Number.isFinite(value) ? value : 'NULL');
  return orNull;
}

/** Insert rows. `conflict`: the SQL after `on conflict`. Missing columns get their default. */
export function insertInto<T extends PgTable, K extends Name<T> = Name<T>>(
  table: T,
  keys?: readonly K[],
  conflict = '',
): Write<Pick<Row<T>, K>> {
  const columns = columnsOf(table, keys);
  return statement(`
    insert into ${getTableName(table)} (${names(columns)}) select ${columns.map(valueSql).join(', ')}
    from ${recordset(table, keys)} ${conflict && `on conflict ${conflict}`}`);
}

/** Insert rows, or update the rows with the same primary key. `also`: further assignments of an update. */
export function upsertInto<T extends PgTable, K extends Name<T> = Name<T>>(
  table: T,
  keys?: readonly K[],
  also: readonly string[] = [],
): Write<Pick<Row<T>, K>> {
  const key = primaryKey(table);
  const assigned = columnsOf(table, keys).filter(({ name }) => !key.includes(name));
  const set = [...assigned.map(({ name }) => `${name} = excluded.${name}`), ...also];
  return insertInto(table, keys, `(${key.join(', ')}) do update set ${set.join(', ')}`);
}

/** Update columns of the rows with these keys. `also`: further assignments. */
export function update<T extends PgTable, B extends Name<T>, K extends Name<T>>(
  table: T,
  by: readonly B[],
  keys: readonly K[],
  also: readonly string[] = [],
): Write<Pick<Row<T>, B | K>> {
  const set = [...columnsOf(table, keys).map((column) => `${column.name} = ${valueSql(column)}`), ...also];
  return statement(`
    update ${getTableName(table)} x set ${set.join(', ')} from ${recordset(table, [...by, ...keys])} where ${matches(table, by)}`);
}

/** Delete the rows with these keys. `and` adds a condition on the row `x` and the column `key` of the record `r`. */
export function deleteFrom<T extends PgTable, B extends Name<T>, K extends Name<T> = never>(
  table: T,
  by: readonly B[],
  key?: K,
  and?: string,
): Write<Pick<Row<T>, B | K>> {
  const keys = key === undefined ? by : [...by, key];
  return statement(`
    delete from ${getTableName(table)} x using ${recordset(table, keys)}
    where ${matches(table, by)} ${and === undefined ? '' : `and ${and}`}`);
}

function matches<T extends PgTable>(table: T, by: readonly Name<T>[]): string {
  return columnsOf(table, by)
    .map(({ key, name }) => `x.${name} = r."${key}"`)
    .join(' and ');
}

/** @param times as milliseconds, or as text of ISO 8601 */
export function columnsText<T extends PgTable>(
  table: T,
  alias: string,
  keys?: readonly Name<T>[],
  times: 'ms' | 'iso' = 'ms',
): string {
  const schema: Record<string, Column> = getTableColumns(table);
  const selected = columnsOf(table, keys).map(({ key, name, isTime }) => {
    const column = `${alias}.${name}`;
    if (isTime) return `${times === 'iso' ? isoText(column) : milliseconds(column)} as "${key}"`;
    return `${column}${schema[key]?.columnType === 'PgBigInt64' ? '::text' : ''} as "${key}"`;
  });
  return selected.join(', ');
}

export const milliseconds = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;
export const isoText = (time: string): string =>
  `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
