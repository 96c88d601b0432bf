/**
 * The embedded PostgreSQL: the original binaries from an npm package, on our own data folder.
 *
 * Owns one postgres child process, which listens on a free port of 127.0.0.1. Only the server's account can read its
 * password. Postgres ends with this process. If Postgres ends earlier, it is restarted on the same port until a start
 * succeeds. The caller holds the folder's owner lock.
 */
import { existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { connect } from '../client';
import { chooseAccount } from './account';
import { prepareBinaries } from './binaries';
import { clusterFolder, DATABASE_USER, prepareCluster, prepareHome, readPassword } from './create-cluster';
import { type LaunchPlan, launchPostgres, type PostgresProcess } from './launch-postgres';
import { livePostmaster } from './processes';

export interface EmbeddedOptions {
  /** The data folder, created if missing. Holds `postgres/`, its password and its log. */
  folder: string;
  /** Name of the database, created if missing. Default `barograph`. */
  database?: string;
  /** False trades crash safety for speed, in tests. Default true. */
  durable?: boolean;
  maxConnections?: number;
  /** Called when the database dies, when a restart fails, and when the database runs again. */
  onEvent?: (event: 'died' | 'down' | 'restarted', detail: string) => void;
  /** Pause before a second restart within one minute. Default 10 s. */
  retryMs?: number;
}

export interface EmbeddedDatabase {
  /** Contains the password: keep it out of logs. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

const MAX_LOG_BYTES = 10_000_000;

/** @throws an Error for the operator. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { folder, database = 'barograph', durable = true, maxConnections = 100 } = options;
  const account = await chooseAccount();
  await prepareHome(folder, account);
  const binaries = await prepareBinaries(account, join(folder, 'postgres-binaries'));
  const password = await prepareCluster(folder, account, binaries);
  const logPath = join(folder, 'postgres', 'postgres.log');
  if (existsSync(logPath) && statSync(logPath).size > MAX_LOG_BYTES) renameSync(logPath, `${logPath}.1`);
  const { postgres } = binaries;
  const cluster = clusterFolder(folder);
  const keeper = await keepRunning({ account, postgres, cluster, logPath, durable, maxConnections }, options);
  const urlOf = (name: string) => urlFor(keeper.current().port, password, name);
  try {
    await ensureDatabase(urlOf('postgres'), database);
  } catch (error) {
    await keeper.stop();
    throw error;
  }
  return {
    url: urlOf(database),
    get pid() {
      return keeper.current().pid;
    },
    stop: keeper.stop,
  };
}

async function keepRunning(plan: LaunchPlan, { onEvent, retryMs = 10_000 }: EmbeddedOptions) {
  let current = await launchPostgres(plan, null);
  const { port } = current;
  const stopping = new AbortController();
  const { signal } = stopping;
  let triedAt = 0;
  const restart = async (): Promise<void> => {
    while (!signal.aborted) {
      if (Date.now() - triedAt < 60_000) {
        await rest(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
      triedAt = Date.now();
      if (signal.aborted) return;
      try {
        current = await launchPostgres(plan, port);
        // A stop requested during the start takes effect here.
        if (signal.aborted) await current.stop();
        else watch(current);
        onEvent?.('restarted', `process ${current.pid}`);
        return;
      } catch (error) {
        onEvent?.('down', error instanceof Error ? error.message : String(error));
      }
    }
  };
  const watch = (started: PostgresProcess): void => {
    void started.exited.then(async (how) => {
      if (signal.aborted) return;
      onEvent?.('died', how);
      await restart();
    });
  };
  watch(current);
  return {
    current: () => current,
    async stop() {
      stopping.abort();
      await current.stop();
    },
  };
}

/** Address of this folder's embedded database, for a command on this machine. Null if the database is not running. */
export function findRunningEmbedded(folder: string, database = 'barograph'): string | null {
  const postmaster = livePostmaster(clusterFolder(folder));
  if (!postmaster?.ready) return null;
  return urlFor(postmaster.port, readPassword(folder), database);
}

function urlFor(port: number, password: string, database: string): string {
  return `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/${database}`;
}

async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  const sql = connect(adminUrl, 1, { applicationName: 'barograph-start' });
  try {
    const found = await sql`select 1 from pg_database where datname = ${name}`;
    if (found.length === 0) await sql`create database ${sql(name)}`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
