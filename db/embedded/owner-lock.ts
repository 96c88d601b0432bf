/**
 * One server per data folder: `server.lock`, created atomically (`link`). A new server takes over the lock of a dead
 * process, but never the lock of a suspended process.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './processes';

export interface LockHolder extends ProcessIdentity {
  /** Kind of the owner, for messages: `Barograph server`, `token command`. */
  what: string;
  /** Address of the owner; empty without an address. */
  url: string;
  since: string;
}

export interface OwnerLock {
  release(): void;
}

export type LockResult = { taken: true; lock: OwnerLock } | { taken: false; holder: LockHolder };

const LOCK_FILE = 'server.lock';

/** @param facts further fields of the lock file, for programs other than the server */
export function takeOwnerLock(folder: string, what: string, url: string, facts: object = {}): LockResult {
  const path = join(folder, LOCK_FILE);
  // Unique, so that a release never removes a later lock.
  const id = randomUUID();
  const content = JSON.stringify({
    ...facts,
    ...identify(process.pid),
    what,
    url,
    since: new Date().toISOString(),
    id,
  });
  const draft = join(folder, `.${LOCK_FILE}-${id}`);
  writeFileSync(draft, content, { mode: 0o600 });
  const release = () => {
    if (unless('ENOENT', () => readFileSync(path, 'utf8')) === content) rmSync(path, { force: true });
  };
  try {
    // Each attempt moves a stale lock aside and retries, because another process may take the lock first.
    for (let attempt = 0; attempt < 20; attempt++) {
      const isTaken = unless('EEXIST', () => {
        linkSync(draft, path);
        return true;
      });
      if (isTaken) return { taken: true, lock: { release } };
      const found = unless('ENOENT', () => readFileSync(path, 'utf8'));
      const holder = livingHolder(found);
      if (holder) return { taken: false, holder };
      if (found !== undefined) moveAside(path, found);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new Error(`Other processes keep taking the lock ${path}. Try again.`);
}

export function readLockHolder(folder: string): LockHolder | null {
  return livingHolder(unless('ENOENT', () => readFileSync(join(folder, LOCK_FILE), 'utf8')));
}

/** Return the result of `work`, or undefined if it fails with this code. */
function unless<T>(code: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}

function livingHolder(text: string | undefined): LockHolder | null {
  try {
    const { pid, started = null, what = 'process', url = '', since = '' } = JSON.parse(text ?? '');
    const holder: LockHolder = { pid, started, what, url, since };
    return Number.isInteger(pid) && isAlive(holder) ? holder : null;
  } catch {
    // The lock file is truncated or missing.
    return null;
  }
}

/** Move the lock aside only if it is still the stale lock: another server may have written a new lock. */
function moveAside(path: string, stale: string): void {
  const aside = `${path}-${randomUUID()}`;
  unless('ENOENT', () => {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== stale) unless('EEXIST', () => linkSync(aside, path));
  });
  rmSync(aside, { force: true });
}
