/**
 * One process owns a queue folder. The lock names that process by more than its pid, because pids come round
 * again: its start time and the boot it belongs to. Where the system does not tell them, or the lock was made
 * on another host (a container's volume), the age of the lock's last heartbeat decides.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimes,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';

/** How often an owner touches its lock. */
export const HEARTBEAT_MS = 30_000;
const STALE_AFTER_MS = 10 * HEARTBEAT_MS;
const TAKEOVER_STALE_MS = 10_000;

export interface LockOwner {
  pid: number;
  host: string;
  /** Start time of the process as the system counts it; empty where it does not tell. */
  started: string;
  /** Id of the running boot; empty where the system has none. */
  boot: string;
}

export type LockClaim =
  /** Ours. `previous` is the dead owner's, or null after a clean end. */
  { held: true; previous: LockOwner | null } | { held: false; owner: LockOwner | null };

export function describeThisProcess(): LockOwner {
  return { pid: process.pid, host: hostname(), started: startTimeOf(process.pid), boot: bootId() };
}

/** Takes the folder's lock if nobody alive holds it. Throws only what the file system throws. */
export function claimLock(folder: string, self: LockOwner, now: number): LockClaim {
  const file = path.join(folder, 'lock');
  if (create(file, self)) return { held: true, previous: null };
  const owner = readOwner(file);
  if (isAlive(file, owner, self, now)) return { held: false, owner };
  // Two processes may see the same stale lock: only the one that makes this folder may replace it.
  const takeover = path.join(folder, 'lock.takeover');
  if (!makeFolder(takeover, now)) return { held: false, owner };
  try {
    const still = readOwner(file);
    if (JSON.stringify(still) !== JSON.stringify(owner)) return { held: false, owner: still };
    removeFile(file);
    return create(file, self) ? { held: true, previous: owner } : { held: false, owner: readOwner(file) };
  } finally {
    removeFolder(takeover);
  }
}

/** Whether someone alive holds the folder. */
export function isLocked(folder: string, self: LockOwner, now: number): boolean {
  const file = path.join(folder, 'lock');
  return exists(file) && isAlive(file, readOwner(file), self, now);
}

export function releaseLock(folder: string): void {
  removeFile(path.join(folder, 'lock'));
}

/** Tells others that the owner lives. */
export function touchLock(folder: string, now: number): void {
  utimes(path.join(folder, 'lock'), now / 1000, now / 1000, () => undefined);
}

function isAlive(file: string, owner: LockOwner | null, self: LockOwner, now: number): boolean {
  const age = ageOf(file, now);
  // Being written at this moment, or its writer died in between.
  if (!owner) return age < TAKEOVER_STALE_MS;
  if (owner.host !== self.host) return age < STALE_AFTER_MS;
  if (owner.boot !== self.boot) return false;
  if (!processExists(owner.pid)) return false;
  const started = startTimeOf(owner.pid);
  if (owner.started !== '' && started !== '') return owner.started === started;
  return owner.pid === self.pid || age < STALE_AFTER_MS;
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of /proc/PID/stat; the name before it may hold spaces and brackets. A zombie counts as gone. */
function startTimeOf(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? 'gone' : (fields[19] ?? '');
}

function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id').trim();
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readOwner(file: string): LockOwner | null {
  try {
    const { pid, host, started, boot } = JSON.parse(readText(file)) as Partial<LockOwner>;
    if (typeof pid !== 'number' || typeof host !== 'string') return null;
    return { pid, host, started: String(started ?? ''), boot: String(boot ?? '') };
  } catch {
    return null;
  }
}

function create(file: string, self: LockOwner): boolean {
  let fd: number;
  try {
    fd = openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  writeSync(fd, JSON.stringify(self));
  closeSync(fd);
  return true;
}

function makeFolder(folder: string, now: number): boolean {
  if (exists(folder) && ageOf(folder, now) > TAKEOVER_STALE_MS) removeFolder(folder);
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch {
    return false;
  }
}

function ageOf(file: string, now: number): number {
  try {
    return now - statSync(file).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Already gone.
  }
}

function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Already gone.
  }
}
