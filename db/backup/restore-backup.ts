/** Restores a script of `writeBackup` into an empty database, in one transaction. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type postgres from 'postgres';
import { transact } from '../transact';
import { BREAKPOINT, LAST_LINE } from './write-backup';

const COPY = /^copy (\S+) \(.*\) from stdin;$/;
const END_OF_ROWS = '\\.';
/** Characters of rows per write. */
const PART = 64 * 1024;

/**
 * @param lines of the script, without line ends
 * @throws an Error for the operator if the database is not empty or the file is incomplete; nothing is then restored
 */
export async function restoreBackup(sql: postgres.Sql, lines: AsyncIterable<string>): Promise<void> {
  await transact(sql, async (tx) => {
    const [table] = await tx`
      select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in (current_schema(), 'drizzle') and c.relkind in ('r', 'p') limit 1`;
    if (table)
      throw new Error('The database is not empty. A backup is restored into an empty database only.');
    let statement: string[] = [];
    let rows: RowSink | null = null;
    let last = '';
    for await (const line of readOrStop(lines, () => rows?.abort())) {
      if (rows !== null) {
        if (line !== END_OF_ROWS) await rows.add(line);
        else {
          await rows.end();
          rows = null;
        }
        continue;
      }
      last = line;
      const [copy, name] = COPY.exec(line) ?? [];
      if (copy !== undefined) rows = await openRows(tx, copy, name ?? '');
      else if (line !== BREAKPOINT) statement.push(line);
      if (line !== BREAKPOINT) continue;
      if (statement.length > 0) await tx.unsafe(statement.join('\n')).simple();
      statement = [];
    }
    rows?.abort();
    if (last !== LAST_LINE) throw new Error('The file is not a complete backup of Barograph.');
  });
  await sql`analyze`;
}

/** The driver can only roll back after the end of a COPY, so a file that cannot be read ends it. */
async function* readOrStop(lines: AsyncIterable<string>, stop: () => void): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (cause) {
    stop();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The file is incomplete or damaged: ${reason}.`, { cause });
  }
}

interface RowSink {
  abort(): void;
  add(line: string): Promise<void>;
  end(): Promise<void>;
}

async function openRows(tx: postgres.TransactionSql, copy: string, table: string): Promise<RowSink> {
  const sink: Writable = await tx.unsafe(copy).writable();
  let failure: Error | null = null;
  sink.on('error', (error) => {
    failure = error;
  });
  let part = '';
  async function send(): Promise<void> {
    if (failure) throw failure;
    const isFull = part !== '' && !sink.write(part);
    part = '';
    if (isFull) await once(sink, 'drain');
  }
  return {
    abort: () => sink.destroy(),
    async add(line) {
      part += `${line}\n`;
      if (part.length >= PART) await send();
    },
    async end() {
      await send();
      sink.end();
      // The driver reports a failed COPY only through the next statement, so the end of the rows is sent first.
      while (sink.writableLength > 0 && !sink.destroyed) await nextTurn();
      await nextTurn();
      try {
        await tx`select 1`;
      } catch (error) {
        throw failure ?? new Error(`The rows of ${table} could not be restored.`, { cause: error });
      }
    },
  };
}
