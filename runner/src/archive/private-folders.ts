/**
 * Folders that nobody else may look into. Transcripts hold what people and models wrote, and whatever secrets came
 * by: the mode is set whatever the umask says, and each folder has it before the next lies in it.
 */
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { absolutePath, repoKey } from './archive-names';

const PRIVATE_FOLDER = 0o700;

/** `<config folder>/runs`. */
export function runsFolder(configFolder: string): string {
  return join(absolutePath(configFolder), 'runs');
}

/** `<config folder>/runs/<repo key>/archives`. */
export function archiveFolder(configFolder: string, repoPath: string): string {
  return join(runsFolder(configFolder), repoKey(repoPath), 'archives');
}

/**
 * Makes `<config folder>/runs` and the folders below it, 0700 each, also where they were there with another mode. Of
 * the config folder and its parents only those are touched that are made now.
 * @param below names of the folders inside `runs`, outermost first.
 * @returns the innermost. @throws what the file system throws.
 */
export function makePrivateFolders(configFolder: string, below: readonly string[]): Promise<string> {
  const innermost = join(runsFolder(configFolder), ...below);
  const known = making.get(innermost);
  if (known !== undefined) return known;
  const made = make(configFolder, below).finally(() => making.delete(innermost));
  making.set(innermost, made);
  return made;
}

/** Under way: who asks for the same folders meanwhile waits for the same work. */
const making = new Map<string, Promise<string>>();

async function make(configFolder: string, below: readonly string[]): Promise<string> {
  const folders = [runsFolder(configFolder)];
  for (const name of below) folders.push(join(folders.at(-1) ?? '', name));
  // As good as always they are there.
  const known = await Promise.allSettled(folders.map((folder) => chmod(folder, PRIVATE_FOLDER)));
  if (known.some(({ status }) => status === 'rejected')) {
    await makeMissing(absolutePath(configFolder));
    for (const folder of folders) await makeFolder(folder);
  }
  return folders.at(-1) ?? '';
}

/** The umask may take even the owner's bits of a new folder, so each is given its mode before it is entered. */
async function makeMissing(folder: string): Promise<void> {
  if (await tryFolder(folder)) return;
  if (dirname(folder) !== folder) await makeMissing(dirname(folder));
  await makeFolder(folder);
}

/** Makes the folder if its parent is there. @returns false where it is not. */
async function tryFolder(folder: string): Promise<boolean> {
  try {
    await makeFolder(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: PRIVATE_FOLDER });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  await chmod(folder, PRIVATE_FOLDER);
}
