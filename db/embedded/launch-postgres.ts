/** Starts one postgres process, and reports when it is ready and when it ended. */
import { readFileSync, statSync } from 'node:fs';
import { type Account, spawnAs } from './account';
import { readPostmaster } from './processes';

export interface LaunchPlan {
  account: Account;
  postgres: string;
  cluster: string;
  port: number;
  /** Open file descriptor for its output, and the path of that file. */
  log: number;
  logPath: string;
  durable: boolean;
  maxConnections: number;
}

export interface PostgresProcess {
  pid: number;
  port: number;
  /** Resolves with the reason of its end. */
  exited: Promise<string>;
  stop(): Promise<void>;
}

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
/** Processes of a killed Postgres need a moment to end; until then its shared memory is in use. */
const LEFTOVER_MEMORY = 'pre-existing shared memory block';
const LEFTOVER_TIMEOUT_MS = 15_000;

/** @throws an Error with the end of Postgres's log. */
export async function launchPostgres(plan: LaunchPlan): Promise<PostgresProcess> {
  const deadline = Date.now() + LEFTOVER_TIMEOUT_MS;
  for (;;) {
    try {
      return await launchOnce(plan);
    } catch (error) {
      const isLeftover = error instanceof Error && error.message.includes(LEFTOVER_MEMORY);
      if (!isLeftover || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function launchOnce(plan: LaunchPlan): Promise<PostgresProcess> {
  const logStart = statSync(plan.logPath).size;
  const child = spawnAs(plan.account, plan.postgres, argumentsFor(plan), ['ignore', plan.log, plan.log]);
  let ended: string | null = null;
  const exited = new Promise<string>((resolve) => {
    const end = (how: string) => {
      ended = how;
      resolve(how);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => end(signal ? `killed by ${signal}` : `exit code ${code}`));
  });
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    if (ended !== null) {
      const tail = readFileSync(plan.logPath).subarray(logStart).toString('utf8').trim().slice(-2_000);
      throw new Error(`PostgreSQL did not start (${ended}). Its log, ${plan.logPath}, ends:\n${tail}`);
    }
    const postmaster = readPostmaster(plan.cluster);
    if (postmaster?.ready && postmaster.pid === child.pid) break;
    if (Date.now() > deadline) {
      child.kill('SIGQUIT');
      throw new Error(`PostgreSQL was not ready after ${READY_TIMEOUT_MS / 1_000} s. See ${plan.logPath}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    pid: child.pid ?? 0,
    port: plan.port,
    exited,
    async stop() {
      if (ended !== null) return;
      child.kill('SIGINT');
      const insist = setTimeout(() => child.kill('SIGQUIT'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(insist);
    },
  };
}

function argumentsFor(plan: LaunchPlan): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port: plan.port,
    unix_socket_directories: '',
    max_connections: plan.maxConnections,
    password_encryption: 'scram-sha-256',
    log_timezone: 'UTC',
    timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    // A turn is acknowledged only once it is on disk.
    synchronous_commit: 'on',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    ...(plan.durable
      ? {}
      : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', plan.cluster, ...flags];
}
