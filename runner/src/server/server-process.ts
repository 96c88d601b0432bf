/** The server's process on this machine. The server's lock file describes it; `up` starts it, and `down` stops it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { planRemoval, planService } from '../connect/services';
import { readJson, readText } from '../private-files';
import { httpAddress } from '../proof/prove-server';
import { processExists, startTimeOf } from '../queue/queue-lock';
import { serverVariables } from '../settings';

export interface RunningServer {
  pid: number;
  url: string;
  /** ISO 8601. */
  since: string;
  isStartedByUp: boolean;
}

const POLL_MS = 100;
const HEALTH_TIMEOUT_MS = 5_000;
const READY_TIMEOUT_MS = 30_000;
/** A little longer than the server's own limit. */
const STOP_TIMEOUT_MS = 35_000;
const MAX_LOG_BYTES = 10_000_000;
const STARTED_BY_UP = '--started-by-up';

export const logFileOf = (dataFolder: string) => join(dataFolder, 'server.log');

/** The server that owns this data folder; null if none runs. */
export function findRunningServer(dataFolder: string): RunningServer | null {
  const lock = Object(readJson(join(dataFolder, 'server.lock'))) as Partial<RunningServer> & {
    started?: unknown;
  };
  const { pid = 0, url = '', since = '', isStartedByUp = false, started } = lock;
  if (!Number.isInteger(pid) || pid <= 0 || url === '' || !processExists(pid)) return null;
  const boot = readText('/proc/sys/kernel/random/boot_id').trim();
  // Process ids are reused.
  if (typeof started === 'string' && started !== `${boot}:${startTimeOf(pid)}`) return null;
  return { pid, url, since, isStartedByUp };
}

/** The version of a server that answers, with its database; null if it does not. */
export async function readHealth({ url }: RunningServer): Promise<string | null> {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
  try {
    const answer = await fetch(httpAddress(url, '/healthz'), { signal });
    const { version } = Object(await answer.json());
    return answer.ok ? String(version) : null;
  } catch {
    return null;
  }
}

/** Starts the server in its own session, so that a terminal's Ctrl-C reaches only this command. */
export function startServer(program: string, output: 'inherit' | number): ChildProcess {
  const args = ['--enable-source-maps', program, STARTED_BY_UP];
  // This command prints its own welcome.
  const stdout = output === 'inherit' ? 'ignore' : output;
  return spawn(process.execPath, args, { detached: true, stdio: ['ignore', stdout, output] });
}

/**
 * Starts the server as a service of this account, or else as a process of its own. Both write to the log file.
 * @returns the process; null for a service
 * @throws ServiceProblem
 */
export function startInBackground(program: string, dataFolder: string): ChildProcess | null {
  mkdirSync(dataFolder, { recursive: true, mode: 0o711 });
  const log = logFileOf(dataFolder);
  const { size = 0 } = statSync(log, { throwIfNoEntry: false }) ?? {};
  if (size > MAX_LOG_BYTES) renameSync(log, `${log}.1`);
  const file = openSync(log, 'a', 0o600);
  try {
    // A service that failed keeps its file.
    for (const change of planRemoval('server')) change.apply();
    const changes = planService({
      name: 'server',
      description: 'server and dashboard',
      variables: serverVariables(),
      command: [process.execPath, '--enable-source-maps', program, STARTED_BY_UP],
      log,
    });
    for (const change of changes ?? []) change.apply();
    if (changes !== null) return null;
    const child = startServer(program, file);
    child.unref();
    return child;
  } finally {
    closeSync(file);
  }
}

/**
 * Wait until the server answers. The first start of a new version may change a large database, so a process of our own
 * has no time limit.
 * @param child null: a server that this command did not start as its own process
 * @returns null if it ended, did not answer in time, or after an abort
 */
export async function awaitServer(
  dataFolder: string,
  child: ChildProcess | null,
  signal: AbortSignal,
): Promise<RunningServer | null> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!signal.aborted) {
    const server = findRunningServer(dataFolder);
    if (server !== null && (await readHealth(server)) !== null) return server;
    const hasEnded = child !== null && (child.exitCode !== null || child.signalCode !== null);
    if (child === null ? Date.now() > deadline : hasEnded && server === null) return null;
    await rest(POLL_MS);
  }
  return null;
}

/** @returns whether the server ended. @throws what the system throws if this account may not stop it */
export async function stopServer(dataFolder: string, { pid }: RunningServer): Promise<boolean> {
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (findRunningServer(dataFolder)?.pid === pid) {
    if (Date.now() > deadline) return false;
    await rest(POLL_MS);
  }
  return true;
}

/** The last lines of the log, from byte `from` on. */
export function readLog(dataFolder: string, lines: number, from = 0): string[] {
  let text: string;
  try {
    text = readFileSync(logFileOf(dataFolder)).subarray(from).toString();
  } catch {
    return [];
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(-lines);
}

export const logSizeOf = (dataFolder: string) =>
  statSync(logFileOf(dataFolder), { throwIfNoEntry: false })?.size ?? 0;
