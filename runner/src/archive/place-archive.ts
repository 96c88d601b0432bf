/**
 * Gives a finished copy its name: never one that is taken, and never before the copy is whole. It owns the numbers
 * that were given out last in this process, so that many archives of one second do not each try them all again.
 */
import { randomInt } from 'node:crypto';
import { link, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';

export interface ArchiveName {
  /** Safe for a file name. */
  session: string;
  /** As in `20261122_015412`. */
  timestamp: string;
  /** With its dot. */
  extension: string;
}

/** Names whose last number is remembered; older ones are looked up in the folder again. */
const MAX_REMEMBERED = 256;
const MAX_LEAP = 1_000;
const lastNumbers = new Map<string, number>();

/**
 * Moves `partial` into `folder` as `<session>_<timestamp>_transcript<extension>`, the second of a second as
 * `<session>_<timestamp>-2_transcript<extension>`, and so on.
 * @param linkFile gives a file a second name; for tests of file systems that cannot.
 * @returns the absolute path it has now. @throws what the file system throws.
 */
export async function placeArchive(
  partial: string,
  folder: string,
  name: ArchiveName,
  linkFile: typeof link = link,
): Promise<string> {
  const stem = `${name.session}_${name.timestamp}`;
  const tail = `_transcript${name.extension}`;
  const key = join(folder, stem + tail);
  for (let tries = 1; ; tries += 1) {
    const number = reserveNumber(key);
    const path = join(folder, `${stem}${number === 1 ? '' : `-${number}`}${tail}`);
    if (await moveUnlessTaken(partial, path, linkFile)) return path;
    // Another process was here. Two that number the same second step out of each other's way by chance.
    const highest = await findHighest(key, () => highestNumber(folder, stem, tail));
    const leap = tries === 1 ? 0 : randomInt(MAX_LEAP);
    lastNumbers.set(key, Math.max(lastNumbers.get(key) ?? 0, highest + leap));
  }
}

const searches = new Map<string, Promise<number>>();

/** Many that look for the same name at once look together. */
function findHighest(key: string, search: () => Promise<number>): Promise<number> {
  const known = searches.get(key);
  if (known !== undefined) return known;
  const found = search().finally(() => searches.delete(key));
  searches.set(key, found);
  return found;
}

/** The next number of that name, which nobody else in this process gets. */
function reserveNumber(key: string): number {
  const number = (lastNumbers.get(key) ?? 0) + 1;
  lastNumbers.delete(key);
  lastNumbers.set(key, number);
  const [oldest] = lastNumbers.size > MAX_REMEMBERED ? lastNumbers.keys() : [];
  if (oldest !== undefined) lastNumbers.delete(oldest);
  return number;
}

async function highestNumber(folder: string, stem: string, tail: string): Promise<number> {
  let highest = 0;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(stem) || !name.endsWith(tail)) continue;
    const number = name.slice(stem.length, name.length - tail.length);
    if (/^-\d{1,9}$/.test(number)) highest = Math.max(highest, Number(number.slice(1)));
  }
  return highest;
}

/** A second name for the same file is given in one step and never over another file; then the first one goes. */
async function moveUnlessTaken(partial: string, path: string, linkFile: typeof link): Promise<boolean> {
  try {
    await linkFile(partial, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code !== undefined && NO_LINKS.has(code)) return renameUnlessTaken(partial, path);
    throw error;
  }
  await unlink(partial).catch(() => undefined);
  return true;
}

/** What file systems say that know no second names. */
const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
  'EXDEV',
]);

/** Who makes the claim may rename; every one of us asks for it first. */
async function renameUnlessTaken(partial: string, path: string): Promise<boolean> {
  const claim = `${path}.claim`;
  try {
    await (await open(claim, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    if (await exists(path)) return false;
    await rename(partial, path);
    return true;
  } finally {
    await unlink(claim).catch(() => undefined);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
