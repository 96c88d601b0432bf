/**
 * Facts about other processes. Process ids are reused, so an id alone proves nothing: on Linux the start time
 * and the boot id distinguish two processes with one id.
 */
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface ProcessIdentity {
  pid: number;
  /** Boot id and start time in clock ticks; null where the system does not provide them (macOS, Windows). */
  started: string | null;
}

export function identify(pid: number): ProcessIdentity {
  return { pid, started: startOf(pid) };
}

/** Whether the process that `identity` was taken of is alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (!exists(identity.pid) || isZombie(identity.pid)) return false;
  return identity.started === null || startOf(identity.pid) === identity.started;
}

/** Whether a process with this id exists, under any account. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Fields of /proc/PID/stat after the name, which may contain spaces and brackets. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

export function isZombie(pid: number): boolean {
  const state = statOf(pid)?.[0];
  return state === 'Z' || state === 'X';
}

function startOf(pid: number): string | null {
  const ticks = statOf(pid)?.[19];
  if (ticks === undefined) return null;
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`;
  } catch {
    return `:${ticks}`;
  }
}

/** Name of the program; null where /proc is missing. */
function commandOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Its current folder; null where it cannot be read. */
function workingFolderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** Resolve true once `isGone` returns true, false after `timeoutMs`. */
export async function waitUntil(isGone: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!isGone()) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

/** Content of `postmaster.pid`, true or stale; null without a complete file. */
export function readPostmaster(cluster: string): Postmaster | null {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    const port = Number(lines[3]);
    if (!Number.isInteger(pid) || pid <= 0) return null;
    return { pid, port, ready: lines[7]?.trim() === 'ready' };
  } catch {
    return null;
  }
}

/** The Postgres that runs on this folder, or null: a stale file proves nothing. */
export function livePostmaster(cluster: string): Postmaster | null {
  const postmaster = readPostmaster(cluster);
  if (!postmaster || !exists(postmaster.pid) || isZombie(postmaster.pid)) return null;
  const command = commandOf(postmaster.pid);
  if (command === null) return postmaster;
  if (command !== 'postgres') return null;
  const folder = workingFolderOf(postmaster.pid);
  return folder === null || folder === realpathSync(cluster) ? postmaster : null;
}

/**
 * Prepare the folder for a new Postgres. The caller holds the folder's owner lock, so a running one has lost
 * its owner: it is shut down, fast first, then immediately. A stale file is removed.
 */
export async function clearPostmaster(cluster: string): Promise<void> {
  const orphan = livePostmaster(cluster);
  if (orphan) await endPostmaster(orphan.pid);
  if (existsSync(join(cluster, 'postmaster.pid'))) rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** @throws when the process survives both kinds of shutdown. */
async function endPostmaster(pid: number): Promise<void> {
  const isGone = () => !exists(pid) || isZombie(pid);
  for (const [signal, timeoutMs] of [
    ['SIGINT', 15_000],
    ['SIGQUIT', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      // Already gone, or not ours: waiting shows which.
    }
    if (await waitUntil(isGone, timeoutMs)) return;
  }
  throw new Error(`A PostgreSQL that lost its server (process ${pid}) does not stop. End it by hand.`);
}
