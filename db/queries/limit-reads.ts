/**
 * A database client that reads only some projects. Queries that select rows by project apply its limit, also in
 * transactions. PostgreSQL applies it a second time: each statement runs as a role with policies (db/access.ts).
 */
import type postgres from 'postgres';
import { engine } from '../engine';
import { type TransactionMode, transact } from '../transact';

/** Global, because pages have their own copy of this module. */
const PROJECTS = Symbol.for('barograph.projects');
/** Role that a limited client takes. */
export const MEMBER_ROLE = 'barograph_member';
/** Setting of a transaction: the projects of a limited client, as an array. */
export const PROJECTS_SETTING = 'barograph.projects';

type Limited = { [PROJECTS]?: readonly string[] };
type Task = (tx: postgres.TransactionSql) => Promise<unknown>;

/**
 * @param projects names; null: every project
 * @param mode of single statements; a replica cannot run the default
 */
export function limitReads(
  sql: postgres.Sql,
  projects: readonly string[] | null,
  mode: TransactionMode = 'read write',
): postgres.Sql {
  if (projects === null) return sql;
  return new Proxy(sql, {
    apply: (target, self, args) => inTransaction(target, projects, mode, Reflect.apply(target, self, args)),
    get(target, key, receiver) {
      if (key === 'unsafe') {
        return (...args: Parameters<typeof sql.unsafe>) =>
          inTransaction(target, projects, mode, target.unsafe(...args));
      }
      if (key !== 'begin') return readLimited(target, key, receiver, projects);
      const begin = target.begin as (...options: unknown[]) => unknown;
      return (...options: unknown[]) => {
        const task = options.pop() as Task;
        return begin(...options, async (tx: postgres.TransactionSql) => {
          await restrict(tx, projects);
          return task(limitTransaction(tx, projects));
        });
      };
    },
  });
}

function limitTransaction(tx: postgres.TransactionSql, projects: readonly string[]): postgres.TransactionSql {
  return new Proxy(tx, {
    get(target, key, receiver) {
      if (key !== 'savepoint') return readLimited(target, key, receiver, projects);
      const savepoint = target.savepoint as (...options: unknown[]) => unknown;
      return (...options: unknown[]) => {
        const task = options.pop() as Task;
        return savepoint(...options, (inner: postgres.TransactionSql) =>
          task(limitTransaction(inner, projects)),
        );
      };
    },
  });
}

const readLimited = (target: object, key: PropertyKey, receiver: unknown, projects: readonly string[]) =>
  key === PROJECTS ? projects : Reflect.get(target, key, receiver);

/** Take the role with policies until the transaction ends. Await it, because the driver may reorder statements. */
async function restrict(tx: postgres.TransactionSql, projects: readonly string[]): Promise<void> {
  if (engine.isCitus) return;
  await tx`
    select set_config(${PROJECTS_SETTING}, ${[...projects]}::text[]::text, true), set_config('role', ${MEMBER_ROLE}, true)
    where pg_has_role((select oid from pg_roles where rolname = ${MEMBER_ROLE}), 'member')`;
}

/** What the driver calls when a query is awaited, and not when it is a fragment of another query. */
interface Executable {
  handler(query: unknown): void;
  reject(error: unknown): void;
}

/** Make a query run in a transaction of its own. Identifiers and values are returned unchanged. */
function inTransaction<T>(sql: postgres.Sql, projects: readonly string[], mode: TransactionMode, made: T): T {
  if (typeof made !== 'object' || made === null || !('handler' in made)) return made;
  const query = made as T & Executable & PromiseLike<unknown>;
  query.handler = () => {
    const work: Task = async (tx) => {
      await restrict(tx, projects);
      (tx`` as unknown as Executable).handler(query);
      await query;
    };
    transact(sql, work, mode).catch((error: unknown) => query.reject(error));
  };
  return made;
}

/** Whether the client reads only some projects, and nothing that belongs to no project. */
export const isLimited = (sql: postgres.ISql): boolean => (sql as Limited)[PROJECTS] !== undefined;

/** Condition for rows of the client's projects. @param column id of a row's project */
export function inProjects(sql: postgres.ISql, column: string) {
  const projects = (sql as Limited)[PROJECTS];
  if (projects === undefined) return sql`true`;
  return sql`${sql.unsafe(column)} in (select id from projects where name = any(${[...projects]}))`;
}
