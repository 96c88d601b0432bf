/** Process ids are reused. On Linux, the boot id and the start time distinguish two processes with the same id. */
import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';

export interface ProcessIdentity {
  pid: number;
  /** Boot id and start time in clock ticks; null if the system does not provide them (macOS, Windows). */
  started: string | null;
}

export function identify(pid: number): ProcessIdentity {
  const ticks = statOf(pid)[19];
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? '';
  return { pid, started: ticks === undefined ? null : `${boot}:${ticks}` };
}

/** Whether a process is alive, whatever its account. Without `started`, only the id is compared. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // Zombies and dead processes keep their id.
  if (['Z', 'X'].includes(statOf(pid)[0] ?? '')) return false;
  return started === null || identify(pid).started === started;
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Fields of /proc/PID/stat after the name, which may contain spaces and brackets. Empty if the file cannot be read. */
function statOf(pid: number): string[] {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat === null ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

/** Content of `postmaster.pid`, which may be outdated. Null if the file is missing or incomplete. */
export function readPostmaster(cluster: string): Postmaster | null {
  const text = attempt(() => readFileSync(join(cluster, 'postmaster.pid'), 'utf8'));
  const lines = text?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/** The running Postgres of this folder, or null. Ignores stale files. */
export function livePostmaster(cluster: string): Postmaster | null {
  const postmaster = readPostmaster(cluster);
  if (!postmaster || !isAlive({ pid: postmaster.pid, started: null })) return null;
  const command = attempt(() => readFileSync(`/proc/${postmaster.pid}/comm`, 'utf8').trim());
  if (command === null) return postmaster;
  const folder = attempt(() => readlinkSync(`/proc/${postmaster.pid}/cwd`));
  const isOurs = command === 'postgres' && (folder === null || folder === realpathSync(cluster));
  return isOurs ? postmaster : null;
}

/** Shut down a Postgres that outlived its server. The caller holds the owner lock. */
export async function clearPostmaster(cluster: string): Promise<void> {
  const orphan = livePostmaster(cluster);
  if (orphan && !(await end(orphan.pid, 'SIGINT', 15_000)) && !(await end(orphan.pid, 'SIGQUIT', 5_000))) {
    throw new Error(
      `PostgreSQL process ${orphan.pid}, left by an earlier server, does not stop. Stop it manually.`,
    );
  }
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

async function end(pid: number, signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  // The process may have ended, or belong to another account. The wait below distinguishes the two cases.
  attempt(() => process.kill(pid, signal));
  const deadline = Date.now() + timeoutMs;
  while (isAlive({ pid, started: null })) {
    if (Date.now() > deadline) return false;
    await rest(10);
  }
  return true;
}
