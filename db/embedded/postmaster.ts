/** Reads `postmaster.pid`, and ends a Postgres whose owner is dead. */
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, exists, isZombie, waitUntil, workingFolderOf } from './processes';

export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

/** What the file says, whether or not it is true; null without a file or when it is not complete yet. */
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

/** The Postgres that runs on this folder now, or null: a leftover file proves nothing. */
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
 * Makes the folder free for a new Postgres. The caller holds the folder's owner lock, so one that still runs
 * has lost its owner: it is shut down (fast first, then immediately). A leftover file is removed.
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
      // Gone meanwhile, or not ours: the wait tells which.
    }
    if (await waitUntil(isGone, timeoutMs)) return;
  }
  throw new Error(`A PostgreSQL that lost its server (process ${pid}) does not stop. End it by hand.`);
}
