/** Finds, starts and stops the server's process on this machine. The server's lock file describes the process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { findService, planRemoval, planService } from '../connect/services';
import { readJson, readText } from '../private-files';
import { httpAddress } from '../proof/prove-server';
import { processExists, startTimeOf } from '../queue/queue-lock';
import { serverVariables } from '../settings';
import { readBytes } from '../transcripts/collect-sources';

export interface RunningServer {
  pid: number;
  url: string;
  /** ISO 8601. */
  since: string;
  isStartedByUp: boolean;
}

const POLL_MS = 100;
/** `ps` prints whole seconds. */
const START_TOLERANCE_MS = 2_000;
const HEALTH_TIMEOUT_MS = 5_000;
const READY_TIMEOUT_MS = 30_000;
/** A little longer than the server's own limit for its shutdown. */
const STOP_TIMEOUT_MS = 35_000;
const MAX_LOG_BYTES = 10_000_000;
const STARTED_BY_UP = '--started-by-up';

export const logFileOf = (dataFolder: string) => join(dataFolder, 'server.log');

/** The server that owns this data folder; null if no server runs. */
export function findRunningServer(dataFolder: string): RunningServer | null {
  const lock = Object(readJson(join(dataFolder, 'server.lock'))) as Partial<RunningServer> & {
    started?: unknown;
  };
  const { pid = 0, url = '', since = '', isStartedByUp = false, started } = lock;
  return url !== '' && isSameProcess({ pid, since, started }) ? { pid, url, since, isStartedByUp } : null;
}

/** Boot and start time of a process; null if the system does not report them. */
export function processStart(pid: number): string | null {
  const time = startTimeOf(pid);
  return time === '' ? null : `${readText('/proc/sys/kernel/random/boot_id').trim()}:${time}`;
}

/** Whether the process that a file describes still runs. The system may have given its id to another program. */
export function isSameProcess({
  pid,
  since,
  started,
}: {
  pid?: number;
  since?: string;
  started?: unknown;
}): boolean {
  if (pid === undefined || !Number.isInteger(pid) || pid <= 0 || !processExists(pid)) return false;
  return typeof started === 'string'
    ? started === processStart(pid)
    : !beganAfter(pid, Date.parse(since ?? ''));
}

/** For systems without /proc: whether the process began after this time. False if `ps` shows no start time. */
function beganAfter(pid: number, time: number): boolean {
  const env = { LC_ALL: 'C', TZ: 'UTC', NODE_ENV: 'production' } as const;
  const { stdout } = spawnSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env });
  return Date.parse(`${String(stdout ?? '').trim()} UTC`) > time + START_TOLERANCE_MS;
}

/** The version of the server; null if the server or its database does not respond. */
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

/** Start the server in a separate process session, so that a terminal's Ctrl-C reaches only this command. */
export function startServer(program: string, output: 'inherit' | number): ChildProcess {
  const args = ['--enable-source-maps', program, STARTED_BY_UP];
  // This command prints its own messages instead of the server's welcome.
  const stdout = output === 'inherit' ? 'ignore' : output;
  return spawn(process.execPath, args, { detached: true, stdio: ['ignore', stdout, output] });
}

/**
 * Start the server as a service of this account, or else as a separate process. Both write to the log file.
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
    // A failed service still has its file, so a plan with the same file would not start it.
    for (const change of planRemoval('server', log)) change.apply();
    // Each account has one service, which may belong to another data folder.
    const isTaken = findService('server') !== null;
    const changes = isTaken
      ? null
      : planService({
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
 * Wait until the server answers. The first start of a new version may migrate a large database, so a process that this
 * command started has no time limit.
 * @param child the process that this command started; null for a service or a server that ran already
 * @returns null if the server ended or did not respond in time, or if the command was aborted
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

/** @returns whether the server ended. @throws the system's error if this account may not stop the server */
export async function stopServer(dataFolder: string, { pid }: RunningServer): Promise<boolean> {
  process.kill(pid, 'SIGTERM');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (findRunningServer(dataFolder)?.pid === pid) {
    if (Date.now() > deadline) return false;
    await rest(POLL_MS);
  }
  return true;
}

/** The last lines of the log between the bytes `from` and `end`, within its last 10 MB. */
export function readLog(dataFolder: string, lines: number, from = 0, end = logSizeOf(dataFolder)): string[] {
  return String(readPart(dataFolder, from, end))
    .split('\n')
    .filter((line) => line !== '')
    .slice(-lines);
}

/** The position after the last complete line of the log; `from` if no line after it is complete. */
export function endOfLines(dataFolder: string, from: number): number {
  const size = logSizeOf(dataFolder);
  const bytes = readPart(dataFolder, from, size);
  const last = bytes.lastIndexOf('\n');
  return last < 0 ? from : size - bytes.length + last + 1;
}

function readPart(dataFolder: string, from: number, end: number): Buffer {
  const start = Math.max(from, end - MAX_LOG_BYTES);
  return readBytes(logFileOf(dataFolder), start, Math.max(0, end - start)) ?? Buffer.alloc(0);
}

export const logSizeOf = (dataFolder: string) =>
  statSync(logFileOf(dataFolder), { throwIfNoEntry: false })?.size ?? 0;
