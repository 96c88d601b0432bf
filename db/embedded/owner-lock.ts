/**
 * One server per data folder.
 *
 * Owns `server.lock` in the folder: a file created in one step (`link`), which names the process and its
 * address. The lock of a dead process is taken over. Not proper-lockfile: that judges by the file's age, and
 * would take the lock of a suspended server whose Postgres still runs.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './processes';

export interface LockHolder extends ProcessIdentity {
  /** What it is, for a sentence: `Barograph server`, `token command`. */
  what: string;
  /** Its address; empty without one. */
  url: string;
  /** ISO time. */
  since: string;
}

export interface OwnerLock {
  release(): void;
}

export type LockResult = { taken: true; lock: OwnerLock } | { taken: false; holder: LockHolder };

const LOCK_FILE = 'server.lock';

/** Try once; the folder must exist. */
export function takeOwnerLock(folder: string, what: string, url: string): LockResult {
  const path = join(folder, LOCK_FILE);
  const mine: LockHolder = { ...identify(process.pid), what, url, since: new Date().toISOString() };
  // Unique, so that a release never removes a later lock.
  const id = randomUUID();
  const content = JSON.stringify({ ...mine, id });
  const draft = join(folder, `.${LOCK_FILE}-${id}`);
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    // A stale lock is moved aside and the loop retries; another start may win meanwhile.
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        linkSync(draft, path);
        return { taken: true, lock: { release: () => removeIf(path, content) } };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const found = readText(path);
      if (found === null) continue;
      const holder = parseHolder(found);
      if (holder && isAlive(holder)) return { taken: false, holder };
      moveAside(path, found);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new Error(`The lock ${path} changes hands without end.`);
}

/** The living holder of the folder, or null. */
export function readLockHolder(folder: string): LockHolder | null {
  const text = readText(join(folder, LOCK_FILE));
  const holder = text === null ? null : parseHolder(text);
  return holder && isAlive(holder) ? holder : null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parseHolder(text: string): LockHolder | null {
  try {
    const value = JSON.parse(text) as Partial<LockHolder>;
    if (!Number.isInteger(value.pid)) return null;
    return {
      pid: value.pid as number,
      started: value.started ?? null,
      what: value.what ?? 'process',
      url: value.url ?? '',
      since: value.since ?? '',
    };
  } catch {
    return null;
  }
}

/** Move the lock away only if it is still the stale one: another start may have written its own. */
function moveAside(path: string, stale: string): void {
  const aside = `${path}-${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    if (readText(aside) !== stale) linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function removeIf(path: string, content: string): void {
  if (readText(path) === content) rmSync(path, { force: true });
}
