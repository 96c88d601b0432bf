/**
 * A transaction that resolves only once it is committed, and is rejected when its connection is lost. postgres.js alone
 * keeps writing to the lost connection. No promise then receives the error, and the pool loses a connection. This
 * wrapper sends nothing after the loss.
 */
import type postgres from 'postgres';
import { beginEarly, codeOf, rejected } from './begin';
import { engine } from './engine';
import { COLLECTED, type Hints, hint, noHints } from './hints';

/** A statement failed because an earlier one did, or the COMMIT did. */
const AFTER_FAILURE = new Set(['25P02', 'NOT_COMMITTED']);

export const READ_ONLY = 'isolation level repeatable read read only';
export type TransactionMode = 'read write' | typeof READ_ONLY;

/**
 * A server with `synchronous_commit = off` loses committed transactions when it is killed. Set per transaction, because
 * a pooler drops settings of a connection. Other values are the operator's choice, and durable.
 */
const COMMIT_DURABLY = `
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`;

/**
 * For statements that access rows by key. Without these settings, a plan cached for a small table would later scan a large
 * table. Planning each statement would cost more than running it. Citus cannot distribute generic plans.
 */
const BY_KEY = `
  select set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), true),
    set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('enable_bitmapscan', 'off', true)`;

const LAST = Symbol('last statements of a transaction');

/**
 * Let further statements and the commit follow these without waiting for their answers. If one fails, PostgreSQL rolls
 * back, and `transact` throws its error. Only for statements that are sent at once.
 */
export async function commitBehind(tx: postgres.ISql, statements: Promise<unknown>): Promise<void> {
  const { [LAST]: last } = tx as { [LAST]?: Promise<unknown>[] };
  if (!last) return void (await statements);
  statements.catch(() => undefined);
  last.push(statements);
}

/**
 * @throws what the work throws; the driver's error (code `CONNECTION_CLOSED`) when the connection was lost; an error with
 * the code `NOT_COMMITTED` when PostgreSQL rolled back for another reason
 */
export async function transact<T>(
  sql: postgres.Sql,
  work: (tx: postgres.TransactionSql) => Promise<T>,
  mode: TransactionMode = 'read write',
  isByKey = false,
): Promise<T> {
  let isOver = false;
  const hints = noHints();
  const last: Promise<unknown>[] = [];
  const guarded = async (tx: postgres.TransactionSql) => {
    try {
      const settings = isByKey && !engine.isCitus ? BY_KEY : COMMIT_DURABLY;
      const inner = guard(tx, { [COLLECTED]: hints, [LAST]: last }, () => isOver);
      // Sent together with the first statement of the work.
      if (mode !== READ_ONLY) void commitBehind(inner, tx.unsafe(settings, [], { prepare: true }).execute());
      const value = await work(inner);
      return isOver ? await rejected() : { value };
    } finally {
      isOver = true;
    }
  };
  try {
    const begin = () => sql.begin(mode, guarded);
    const fail = () => {
      isOver = true;
    };
    // Clients of a pooler wrap `unsafe`, which the early BEGIN replaces.
    const result = await (isByKey && sql.options.prepare ? beginEarly(sql, begin, fail) : begin());
    hint(sql, hints);
    return result.value;
  } catch (error) {
    if (AFTER_FAILURE.has(codeOf(error))) await Promise.all(last);
    throw error;
  } finally {
    isOver = true;
  }
}

/** Wrap a client so that it has more properties, and throws after the end of the transaction instead of sending. */
function guard(
  tx: postgres.TransactionSql,
  more: { [COLLECTED]: Hints; [LAST]: Promise<unknown>[] },
  isOver: () => boolean,
): postgres.TransactionSql {
  const check = (): void => {
    if (isOver()) throw Object.assign(new Error('The connection was lost.'), { code: 'CONNECTION_CLOSED' });
  };
  return new Proxy(tx, {
    apply(target, self, args) {
      check();
      return Reflect.apply(target, self, args);
    },
    get(target, name, self) {
      check();
      return Reflect.get(Object.hasOwn(more, name) ? more : target, name, self);
    },
  });
}
