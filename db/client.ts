/**
 * The Postgres client of a process. Drizzle only describes the schema and runs the migrations. Drizzle gets its own
 * client, because it changes a client's parsers (dates become strings, `sql.json` throws).
 */
import postgres from 'postgres';

export interface ClientOptions {
  /** The name in pg_stat_activity; default `barograph`. */
  applicationName?: string;
  /** Called with notices above NOTICE level. By default such notices are ignored. */
  onNotice?: (notice: postgres.Notice) => void;
}

const INT8_OID = 20;

/** Throws for counts and positions beyond 2^53−1 instead of rounding. Hashes use 64 bits: select them as text. */
function parseBigint(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`bigint ${text} is beyond 2^53−1: select it as text`);
}

/** Callers pass arrays of times as ISO strings, and other arrays with their type (`sql.array(values, oid)`). */
export function connect(url: string, max: number, options: ClientOptions = {}): postgres.Sql {
  return postgres(url, {
    max,
    connection: { application_name: options.applicationName ?? 'barograph' },
    onnotice: options.onNotice ?? (() => undefined),
    types: {
      bigint: {
        to: INT8_OID,
        from: [INT8_OID],
        serialize: (value: number | bigint | string) => String(value),
        parse: parseBigint,
      },
    },
  });
}
