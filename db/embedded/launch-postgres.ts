import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as rest } from 'node:timers/promises';
import { type Account, spawnAs } from './account';
import { clearPostmaster, readPostmaster } from './processes';

export interface LaunchPlan {
  account: Account;
  postgres: string;
  cluster: string;
  logPath: string;
  durable: boolean;
  maxConnections: number;
}

export interface PostgresProcess {
  pid: number;
  port: number;
  exited: Promise<string>;
  stop(): Promise<void>;
}

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
/** Child processes of a killed Postgres take a moment to end and hold its shared memory until then. */
const LEFTOVER_MEMORY = 'pre-existing shared memory block';
const LEFTOVER_TIMEOUT_MS = 15_000;

/** @param wanted the port; null: any free port */
export async function launchPostgres(plan: LaunchPlan, wanted: number | null): Promise<PostgresProcess> {
  const deadline = Date.now() + LEFTOVER_TIMEOUT_MS;
  await clearPostmaster(plan.cluster);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOnce(plan, wanted ?? (await findFreePort()));
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      const isLeftover = reason.includes(LEFTOVER_MEMORY) && Date.now() < deadline;
      const isTaken = wanted === null && reason.includes('could not bind') && attempt < 4;
      if (!isLeftover && !isTaken) throw error;
      await rest(100);
    }
  }
}

async function launchOnce(plan: LaunchPlan, port: number): Promise<PostgresProcess> {
  const log = openSync(plan.logPath, 'a', 0o600);
  const logStart = statSync(plan.logPath).size;
  const child = spawnAs(plan.account, plan.postgres, argumentsFor(plan, port), ['ignore', log, log]);
  closeSync(log);
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
    await rest(10);
  }
  return {
    pid: child.pid ?? 0,
    port,
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

function argumentsFor({ durable, maxConnections, cluster }: LaunchPlan, port: number): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: maxConnections,
    password_encryption: 'scram-sha-256',
    log_timezone: 'UTC',
    timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    // Errors can contain values, and statements can. The server logs its own errors, with their codes.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    // A turn is acknowledged only once it is on disk.
    synchronous_commit: durable ? 'on' : 'off',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
