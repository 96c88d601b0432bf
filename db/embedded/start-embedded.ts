/**
 * The embedded PostgreSQL: real binaries from an npm package, on our own data folder.
 *
 * Owns one postgres child process. It listens on a free port of 127.0.0.1 with a password that only the
 * server's account can read; it ends with this process; when it ends first it is restarted on its port,
 * repeatedly if necessary. The caller holds the folder's owner lock.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { connect } from '../client';
import { type Account, canUse, chooseAccount } from './account';
import { prepareBinaries } from './binaries';
import {
  createCluster,
  DATABASE_USER,
  ensurePassword,
  isCluster,
  own,
  readPassword,
  writeHostRules,
} from './create-cluster';
import { launchPostgres, type PostgresProcess } from './launch-postgres';
import { clearPostmaster, livePostmaster } from './processes';

export interface EmbeddedOptions {
  /** The data folder, created if missing. Holds `postgres/`, its password and its log. */
  folder: string;
  /** Name of the database, created if missing. Default `barograph`. */
  database?: string;
  /** False trades crash safety for speed, in tests. Default true. */
  durable?: boolean;
  /** Default 100. */
  maxConnections?: number;
  /** Called when the database died, when a restart failed, and when it is back. */
  onEvent?: (event: 'died' | 'down' | 'restarted', detail: string) => void;
  /** Pause between restarts after too many within a minute. Default 10 s. */
  retryMs?: number;
}

export interface EmbeddedDatabase {
  /** Holds the password: keep it out of logs. */
  url: string;
  pid: number;
  /** Fast shutdown with a checkpoint. Idempotent. */
  stop(): Promise<void>;
}

/** The cluster in a data folder. */
export const clusterFolder = (folder: string) => join(folder, 'postgres', 'data');
const MAX_LOG_BYTES = 10_000_000;
/** Restarts within a minute without a pause. */
const MAX_RESTARTS_A_MINUTE = 5;
const RETRY_MS = 10_000;

/** @throws an Error for the operator. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const database = options.database ?? 'barograph';
  const account = await chooseAccount();
  const home = await prepareHome(options.folder, account);
  const binaries = await prepareBinaries(account, join(options.folder, 'postgres-binaries'));
  const cluster = clusterFolder(options.folder);
  const password = ensurePassword(options.folder, isCluster(cluster));
  if (!isCluster(cluster)) await createCluster({ account, binaries, cluster, password });
  checkMajorVersion(cluster, binaries.packageVersion);
  await clearPostmaster(cluster);
  writeHostRules(account, cluster);
  const logPath = prepareLog(home);

  const launch = async (port: number): Promise<PostgresProcess> => {
    const log = openSync(logPath, 'a', 0o600);
    try {
      return await launchPostgres({
        account,
        postgres: binaries.postgres,
        cluster,
        port,
        log,
        logPath,
        durable: options.durable ?? true,
        maxConnections: options.maxConnections ?? 100,
      });
    } finally {
      closeSync(log);
    }
  };

  let current = await launchOnFreePort(launch);
  const { port } = current;
  const stopping = new AbortController();
  const { signal } = stopping;
  const recentStarts: number[] = [];

  /** Pause after too many restarts within a minute. */
  const pauseIfNeeded = async (): Promise<void> => {
    const now = Date.now();
    while ((recentStarts[0] ?? now) < now - 60_000) recentStarts.shift();
    if (recentStarts.length >= MAX_RESTARTS_A_MINUTE) {
      await rest(options.retryMs ?? RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
    recentStarts.push(Date.now());
  };

  const restart = async (): Promise<void> => {
    while (!signal.aborted) {
      await pauseIfNeeded();
      if (signal.aborted) return;
      try {
        await clearPostmaster(cluster);
        current = await launch(port);
        // A stop during the start takes effect here.
        if (signal.aborted) await current.stop();
        else watch(current);
        options.onEvent?.('restarted', `process ${current.pid}`);
        return;
      } catch (error) {
        options.onEvent?.('down', error instanceof Error ? error.message : String(error));
      }
    }
  };
  const watch = (started: PostgresProcess): void => {
    void started.exited.then(async (how) => {
      if (signal.aborted) return;
      options.onEvent?.('died', how);
      await restart();
    });
  };
  watch(current);

  try {
    await ensureDatabase(urlFor(port, password, 'postgres'), database);
  } catch (error) {
    stopping.abort();
    await current.stop();
    throw error;
  }
  return {
    url: urlFor(port, password, database),
    get pid() {
      return current.pid;
    },
    async stop() {
      stopping.abort();
      await current.stop();
    },
  };
}

/** Address of the embedded database that runs on this folder, for a command on this machine; or null. */
export function findRunningEmbedded(folder: string, database = 'barograph'): string | null {
  const postmaster = livePostmaster(clusterFolder(folder));
  if (!postmaster?.ready) return null;
  return urlFor(postmaster.port, readPassword(folder), database);
}

function urlFor(port: number, password: string, database: string): string {
  return `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/${database}`;
}

async function prepareHome(folder: string, account: Account): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: account.switchTo ? 0o711 : 0o700 });
  // Another account must be able to enter; it cannot list, and files with secrets are 0600.
  if (account.switchTo) chmodSync(folder, (statSync(folder).mode & 0o777) | 0o011);
  const home = join(folder, 'postgres');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  own(account, home);
  if (!(await canUse(account, home))) {
    throw new Error(
      `PostgreSQL runs as ${account.name}, which cannot enter ${home}: a folder above it is closed to others. ` +
        'Choose another BAROGRAPH_DATA_DIR, for example /var/lib/barograph.',
    );
  }
  return home;
}

function checkMajorVersion(cluster: string, packageVersion: string): void {
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  const [major] = packageVersion.split('.');
  if (found === major) return;
  throw new Error(
    `The data in ${cluster} is of PostgreSQL ${found}, and this version of Barograph brings ${major}. ` +
      `Move the data with pg_dump from the earlier version of Barograph, or choose another BAROGRAPH_DATA_DIR.`,
  );
}

function prepareLog(home: string): string {
  const path = join(home, 'postgres.log');
  if (existsSync(path) && statSync(path).size > MAX_LOG_BYTES) {
    rmSync(`${path}.1`, { force: true });
    renameSync(path, `${path}.1`);
  }
  return path;
}

/** A free port may be taken a moment later, so a failure to bind is retried on another. */
async function launchOnFreePort(
  launch: (port: number) => Promise<PostgresProcess>,
): Promise<PostgresProcess> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await launch(await findFreePort());
    } catch (error) {
      if (attempt === 3 || !(error instanceof Error) || !error.message.includes('could not bind'))
        throw error;
    }
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
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
