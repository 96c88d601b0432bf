/**
 * One process owns a queue folder. The lock names it by pid, start time and boot, because pids are reused. On another
 * host (a shared volume), or if the system reports neither, the age of the last heartbeat decides.
 *
 * Not proper-lockfile: its heartbeat alone would lose the lock of an agent that blocks its event loop, and delay taking
 * over from a killed process.
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
  /** Start time of the process in the system's units; empty if unknown. */
  started: string;
  /** Id of the boot; empty if unknown. */
  boot: string;
}

export type LockClaim =
  /** `previous`: the dead owner, or null after a clean end. */
  { held: true; previous: LockOwner | null } | { held: false; owner: LockOwner | null };

export function describeThisProcess(): LockOwner {
  return { pid: process.pid, host: hostname(), started: startTimeOf(process.pid), boot: bootId() };
}

/** Take the folder's lock unless a living process has it. @throws what the file system throws. */
export function claimLock(folder: string, self: LockOwner, now: number): LockClaim {
  const file = path.join(folder, 'lock');
  if (create(file, self)) return { held: true, previous: null };
  const owner = readOwner(file);
  if (isAlive(file, owner, self, now)) return { held: false, owner };
  // Only one of the processes that see a stale lock creates this folder.
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

/** Whether a living process has the folder. */
export function isLocked(folder: string, self: LockOwner, now: number): boolean {
  const file = path.join(folder, 'lock');
  return exists(file) && isAlive(file, readOwner(file), self, now);
}

export function releaseLock(folder: string): void {
  removeFile(path.join(folder, 'lock'));
}

/** Renew the heartbeat. */
export function touchLock(folder: string, now: number): void {
  utimes(path.join(folder, 'lock'), now / 1000, now / 1000, () => undefined);
}

function isAlive(file: string, owner: LockOwner | null, self: LockOwner, now: number): boolean {
  const age = ageOf(file, now);
  // It is being written, or its writer died meanwhile.
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

/** Field 22 of /proc/PID/stat; the name before it may contain spaces and brackets. A zombie counts as gone. */
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
