/**
 * The Postgres client of a process. Drizzle only describes the schema and runs the migrations. Drizzle gets its own
 * client, because it changes a client's parsers (dates become strings, `sql.json` throws).
 */
import postgres from 'postgres';
import { checkCommits } from './begin';

export interface ClientOptions {
  /** The name in pg_stat_activity; default `barograph`. */
  applicationName?: string;
  /** Close connections without a query for this long. Default: never. */
  idleSeconds?: number;
  /** Called with notices above NOTICE level. By default such notices are ignored. */
  onNotice?: (notice: postgres.Notice) => void;
  /** Called with each notification that arrives outside of `listen`. */
  onNotify?: (channel: string, payload: string) => void;
  /** The address is that of a pooler in transaction mode: statements have no names. Default: as `findPooler` found. */
  isPooler?: boolean;
  /** Address of PostgreSQL itself, which LISTEN uses. The first address is then that of a pooler. */
  directUrl?: string | null;
  /** Maximum duration of a statement. Ignored with a pooler: poolers refuse the setting. */
  statementSeconds?: number;
}

/** Addresses of poolers, as `findPooler` found. */
export const poolers = new Set<string>();

const INT8_OID = 20;
const TEXT_ARRAY_OID = 1009;
/**
 * Longest pause between two connection attempts, seconds. The driver counts the failures of all connections together, so
 * with its default a short outage with many background queries ends in a pause of 20 s.
 */
const MAX_BACKOFF_SECONDS = 1;

/** Throws for counts and positions beyond 2^53−1 instead of rounding. Hashes use 64 bits: select them as text. */
function parseBigint(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`bigint ${text} is beyond 2^53−1: select it as text`);
}

/** Callers pass arrays of times as ISO strings, and other arrays with their type (`sql.array(values, oid)`). */
export function connect(url: string, max: number, options: ClientOptions = {}): postgres.Sql {
  const { directUrl = null } = options;
  const isPooler = options.isPooler ?? (directUrl !== null || poolers.has(url));
  const sql = postgres(url, {
    max,
    prepare: !isPooler,
    ...(options.idleSeconds !== undefined && { idle_timeout: options.idleSeconds }),
    backoff: (failures) => Math.min(MAX_BACKOFF_SECONDS, 0.05 * 2 ** failures) * (0.5 + Math.random() / 2),
    connection: {
      application_name: options.applicationName ?? 'barograph',
      ...(!isPooler && { statement_timeout: 1_000 * (options.statementSeconds ?? 0) }),
    },
    onnotice: options.onNotice ?? (() => undefined),
    // Not among the driver's types.
    ...({ onnotify: options.onNotify } as object),
    types: {
      bigint: {
        to: INT8_OID,
        from: [INT8_OID],
        serialize: (value: number | bigint | string) => String(value),
        parse: parseBigint,
      },
    },
  });
  // Each new connection would read the array types again. The driver does not await this query, so a connection that is
  // lost meanwhile would cause an unhandled rejection.
  Object.defineProperty(sql.options, 'fetch_types', { get: () => !(TEXT_ARRAY_OID in sql.options.parsers) });
  Object.assign(sql, { begin: checkCommits(sql.begin) });
  if (!isPooler) return sql;
  if (directUrl === null) return withoutPipelines(sql);
  // This client opens a connection only for LISTEN.
  const direct = connect(directUrl, 1, { ...options, isPooler: false, directUrl: null });
  const end = sql.end;
  return Object.assign(withoutPipelines(sql), {
    listen: direct.listen,
    end: async (how?: { timeout?: number }) => void (await Promise.all([end(how), direct.end(how)])),
  });
}

/**
 * Send each statement outside of transactions only after the answer to the previous one. PgBouncer gives a connection to
 * another client at the end of a statement, even if a further statement has begun to arrive, which then never ends.
 */
function withoutPipelines(sql: postgres.Sql): postgres.Sql {
  const alone = <T>(query: T): T => {
    // The driver asks this before it sends the next statement.
    if (query instanceof Promise)
      Object.assign((query as { options?: object }).options ?? {}, { onexecute: () => false });
    return query;
  };
  return new Proxy(sql, {
    apply: (target, self, args) => alone(Reflect.apply(target, self, args)),
    get(target, key, receiver) {
      if (key !== 'unsafe') return Reflect.get(target, key, receiver);
      return (...args: Parameters<typeof sql.unsafe>) => alone(target.unsafe(...args));
    },
  });
}
