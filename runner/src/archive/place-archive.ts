/** Gives a finished copy its name, never one that is taken. */
import { randomInt } from 'node:crypto';
import { link, open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

export interface ArchiveName {
  session: string;
  /** As in `20261122_015412`. */
  timestamp: string;
  /** With its dot. */
  extension: string;
}

/** The next names of a second are numbered at random, so that many archives do not each try all numbers. */
const NUMBERED_IN_ORDER = 3;
const MAX_NUMBER = 1_000_000;

/**
 * Move `partial` into `folder` as `<session>_<timestamp>_transcript<extension>`, further ones of a second as
 * `<session>_<timestamp>-2_transcript<extension>`, and so on.
 * @param linkFile gives a file a second name; tests replace it to simulate file systems without links.
 * @returns the absolute path. @throws what the file system throws.
 */
export async function placeArchive(
  partial: string,
  folder: string,
  { session, timestamp, extension }: ArchiveName,
  linkFile: typeof link = link,
): Promise<string> {
  for (let number = 1; ; ) {
    const suffix = number === 1 ? '' : `-${number}`;
    const path = join(folder, `${session}_${timestamp}${suffix}_transcript${extension}`);
    if (await moveUnlessTaken(partial, path, linkFile)) return path;
    number = number < NUMBERED_IN_ORDER ? number + 1 : randomInt(NUMBERED_IN_ORDER + 1, MAX_NUMBER);
  }
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
