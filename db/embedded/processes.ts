/**
 * What is known of another process by its id. Ids are used again, so an id alone proves nothing: on Linux
 * the start time and the boot tell two processes with one id apart.
 */
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  /** Boot id and start time in clock ticks; null where the system does not say (macOS, Windows). */
  started: string | null;
}

export function identify(pid: number): ProcessIdentity {
  return { pid, started: startOf(pid) };
}

/** True while the very process lives that `identity` was taken of. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (!exists(identity.pid) || isZombie(identity.pid)) return false;
  return identity.started === null || startOf(identity.pid) === identity.started;
}

/** True for a process of that id, whoever owns it. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Fields of /proc/PID/stat after the name, which may itself hold spaces and brackets. */
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
export function commandOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Its current folder; null where it cannot be read. */
export function workingFolderOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** Resolves true once `isGone` says so, false after `timeoutMs`. */
export async function waitUntil(isGone: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!isGone()) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}
