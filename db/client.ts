/**
 * The two Postgres clients of a process.
 *
 * Drizzle alters the postgres.js client it is given (dates come back as strings, `sql.json` throws), so it
 * gets one of its own, and everything written by hand uses the raw one.
 */
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import * as schema from './schema';

export type Schema = typeof schema;
export type Db = PostgresJsDatabase<Schema>;

export interface DatabaseClients {
  /** For hand-written SQL. bigint arrives as number. */
  sql: postgres.Sql;
  /** For schema-typed queries. */
  db: Db;
  /** Waits for running queries for at most `timeoutMs`, then closes both pools. */
  close(timeoutMs?: number): Promise<void>;
}

export interface ClientOptions {
  /** Connections of the raw client; default 8. */
  maxConnections?: number;
  /** Connections of Drizzle's client; default 8. */
  maxDrizzleConnections?: number;
  /** Shown in pg_stat_activity; default `barograph`. */
  applicationName?: string;
  /** Called with notices above NOTICE level; the default drops them. */
  onNotice?: (notice: postgres.Notice) => void;
}

/**
 * Counts and positions stay within ±(2^53−1): one beyond is an error and never a rounded number. Hashes use all
 * 64 bits: select them as text.
 */
function parseBigint(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`bigint ${text} is beyond 2^53−1: select it as text`);
}

const INT8_OID = 20;

const bigintAs = <T>(parse: (text: string) => T) => ({
  bigint: {
    to: INT8_OID,
    from: [INT8_OID],
    serialize: (value: number | bigint | string) => String(value),
    parse,
  },
});

/** Drizzle converts by column (`mode: 'bigint'` holds 64-bit hashes), so it must get the exact text of those. */
const parseBigintForDrizzle = (text: string): number | string => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
};

/**
 * Opens both clients; no connection is made before the first query.
 *
 * Parameters of the raw client: pass times in arrays as ISO strings, and other arrays with their type
 * (`sql.array(values, oid)`); `Date[]`, `boolean[]` and `BigInt[]` are refused by postgres.js.
 */
export function openDatabase(url: string, options: ClientOptions = {}): DatabaseClients {
  const sql = connect(url, options.maxConnections ?? 8, options);
  const forDrizzle = postgres(url, {
    ...clientOptions(options.maxDrizzleConnections ?? 8, options),
    types: bigintAs(parseBigintForDrizzle),
  });
  return {
    sql,
    db: drizzle(forDrizzle, { schema, casing: 'snake_case' }),
    async close(timeoutMs = 5_000) {
      const timeout = timeoutMs / 1_000;
      await Promise.all([sql.end({ timeout }), forDrizzle.end({ timeout })]);
    },
  };
}

/** One postgres.js client with at most `max` connections, with the type parsers of this project. */
export function connect(
  url: string,
  max: number,
  options: Pick<ClientOptions, 'applicationName' | 'onNotice'> = {},
): postgres.Sql {
  return postgres(url, { ...clientOptions(max, options), types: bigintAs(parseBigint) });
}

function clientOptions(max: number, options: Pick<ClientOptions, 'applicationName' | 'onNotice'>) {
  return {
    max,
    connection: { application_name: options.applicationName ?? 'barograph' },
    onnotice: options.onNotice ?? (() => undefined),
  };
}
