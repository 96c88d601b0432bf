/**
 * Gives a finished copy its name, never one that is taken. It remembers the last number given out in this process, so
 * that many archives of one second do not each try all numbers.
 */
import { randomInt } from 'node:crypto';
import { link, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

export interface ArchiveName {
  /** Safe for a file name. */
  session: string;
  /** As in `20261122_015412`. */
  timestamp: string;
  /** With its dot. */
  extension: string;
}

const MAX_LEAP = 1_000;
let last = { key: '', number: 0 };

/**
 * Move `partial` into `folder` as `<session>_<timestamp>_transcript<extension>`, the second one of a second as
 * `<session>_<timestamp>-2_transcript<extension>`, and so on.
 * @param linkFile gives a file a second name; tests replace it to simulate file systems without links.
 * @returns the absolute path. @throws what the file system throws.
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
    last = { key, number: last.key === key ? last.number + 1 : 1 };
    const path = join(folder, `${stem}${last.number === 1 ? '' : `-${last.number}`}${tail}`);
    if (await moveUnlessTaken(partial, path, linkFile)) return path;
    // Another process numbers the same second: a random leap keeps the two apart.
    const leap = tries === 1 ? 0 : randomInt(MAX_LEAP);
    const highest = (await highestNumber(folder, stem, tail)) + leap;
    last = { key, number: Math.max(last.key === key ? last.number : 0, highest) };
  }
}

async function highestNumber(folder: string, stem: string, tail: string): Promise<number> {
  const numbers = (await readdir(folder))
    .filter((name) => name.startsWith(stem) && name.endsWith(tail))
    .map((name) => /^-(\d{1,9})$/.exec(name.slice(stem.length, name.length - tail.length))?.[1]);
  return Math.max(1, ...numbers.map(Number).filter(Number.isFinite));
}

/** Error codes of file systems without hard links, as exFAT. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV']);

/** A link never replaces an existing file, unlike a rename. */
async function moveUnlessTaken(partial: string, path: string, linkFile: typeof link): Promise<boolean> {
  try {
    await linkFile(partial, path).catch(async (error: NodeJS.ErrnoException) => {
      if (!NO_LINKS.has(error.code ?? '')) throw error;
      // Whoever creates the name as an empty file owns it.
      await (await open(path, 'wx', 0o600)).close();
      await rename(partial, path);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  await unlink(partial).catch(() => undefined);
  return true;
}
