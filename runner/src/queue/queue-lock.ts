/**
 * One process owns a queue folder. The lock names the process by pid, start time and boot, because pids are reused. If
 * the lock is from another host (a shared volume), or the system reports no start times, the age of the last heartbeat
 * decides. proper-lockfile uses heartbeats only, so an agent that blocks its event loop would lose its lock.
 */
import { mkdirSync, rmSync, statSync, utimes, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { readJson, readText } from '../private-files';

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

/** `previous`: the dead owner, or null after a clean end. */
export type LockClaim = { held: true; previous: LockOwner | null } | { held: false };

export function describeThisProcess(): LockOwner {
  const boot = readText('/proc/sys/kernel/random/boot_id').trim();
  return { pid: process.pid, host: hostname(), started: startTimeOf(process.pid), boot };
}

/** Take the folder's lock unless a living process has it. @throws what the file system throws. */
export function claimLock(folder: string, self: LockOwner, now: number): LockClaim {
  const file = path.join(folder, 'lock');
  if (create(file, self)) return { held: true, previous: null };
  const text = readText(file);
  if (isAlive(file, self, now)) return { held: false };
  // Only one of the processes that see a stale lock can create this folder.
  const takeover = path.join(folder, 'lock.takeover');
  if (ageOf(takeover, now) > TAKEOVER_STALE_MS) rmSync(takeover, { recursive: true, force: true });
  try {
    mkdirSync(takeover, { mode: 0o700 });
  } catch {
    return { held: false };
  }
  try {
    const previous = readOwner(file);
    if (readText(file) !== text) return { held: false };
    rmSync(file, { force: true });
    return create(file, self) ? { held: true, previous } : { held: false };
  } finally {
    rmSync(takeover, { recursive: true, force: true });
  }
}

export function isLocked(folder: string, self: LockOwner, now: number): boolean {
  return isAlive(path.join(folder, 'lock'), self, now);
}

export function releaseLock(folder: string): void {
  rmSync(path.join(folder, 'lock'), { force: true });
}

export function touchLock(folder: string, now: number): void {
  utimes(path.join(folder, 'lock'), now / 1000, now / 1000, () => undefined);
}

function isAlive(file: string, self: LockOwner, now: number): boolean {
  const owner = readOwner(file);
  const age = ageOf(file, now);
  // The lock is being written, or its writer died before it finished.
  if (!owner) return age < TAKEOVER_STALE_MS;
  if (owner.host !== self.host) return age < STALE_AFTER_MS;
  if (owner.boot !== self.boot || !processExists(owner.pid)) return false;
  const started = startTimeOf(owner.pid);
  if (owner.started !== '' && started !== '') return owner.started === started;
  return owner.pid === self.pid || age < STALE_AFTER_MS;
}

export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time: field 22 of /proc/PID/stat, after a name that may contain spaces. A zombie counts as gone. */
export function startTimeOf(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? 'gone' : (fields[19] ?? '');
}

function readOwner(file: string): LockOwner | null {
  const { pid, host, started, boot } = (readJson(file) ?? {}) as Partial<LockOwner>;
  if (typeof pid !== 'number' || typeof host !== 'string') return null;
  return { pid, host, started: String(started ?? ''), boot: String(boot ?? '') };
}

function create(file: string, self: LockOwner): boolean {
  try {
    writeFileSync(file, JSON.stringify(self), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Milliseconds since the last change; infinite for a missing file. */
function ageOf(file: string, now: number): number {
  const info = statSync(file, { throwIfNoEntry: false });
  return info === undefined ? Number.POSITIVE_INFINITY : now - info.mtimeMs;
}
