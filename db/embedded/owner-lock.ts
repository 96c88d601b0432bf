/**
 * One server per data folder.
 *
 * Owns `server.lock` in the folder: a file made in one step (`link`), which names the process and where it
 * answers. A lock whose process is dead is taken over; a living one is never disturbed.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './processes';

export interface LockHolder extends ProcessIdentity {
  /** What it is, for a sentence: `Barograph server`, `token command`. */
  what: string;
  /** Where it answers; empty for one that does not. */
  url: string;
  /** ISO time. */
  since: string;
}

export interface OwnerLock {
  release(): void;
}

export type LockResult = { taken: true; lock: OwnerLock } | { taken: false; holder: LockHolder };

const LOCK_FILE = 'server.lock';

/** Tries once; the folder must exist. */
export function takeOwnerLock(folder: string, what: string, url: string): LockResult {
  const path = join(folder, LOCK_FILE);
  const mine: LockHolder = { ...identify(process.pid), what, url, since: new Date().toISOString() };
  // Unlike any other lock's, so that a release never removes a lock that came after.
  const id = randomUUID();
  const content = JSON.stringify({ ...mine, id });
  const draft = join(folder, `.${LOCK_FILE}-${id}`);
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    // A stale lock is moved aside and the loop tries again; another start may win meanwhile.
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

/** Who holds the folder now; null when nobody living does. */
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

/** Moves the lock away only if it is still the stale one: another start may have put its own there. */
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
