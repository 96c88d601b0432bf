/** Creates folders of mode 0700: transcripts hold whole conversations, and secrets. */
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { absolutePath, runsFolder } from './archive-names';

const PRIVATE_FOLDER = 0o700;

/**
 * Create `<config folder>/runs` and the folders below it with mode 0700, whatever the umask is; existing ones get the
 * mode too. The config folder and its parents keep their mode if they exist.
 * @param below names of the folders inside `runs`, outermost first.
 * @returns the innermost folder. @throws what the file system throws.
 */
export async function makePrivateFolders(configFolder: string, below: readonly string[]): Promise<string> {
  const folders = [runsFolder(configFolder)];
  for (const name of below) folders.push(join(folders.at(-1) ?? '', name));
  // The folders nearly always exist.
  const known = await Promise.allSettled(folders.map((folder) => chmod(folder, PRIVATE_FOLDER)));
  if (known.some(({ status }) => status === 'rejected')) {
    await makeParents(absolutePath(configFolder));
    for (const folder of folders) await makeFolder(folder);
  }
  return folders.at(-1) ?? '';
}

/** Not `recursive`: the umask may remove even the owner's bits, so each folder gets its mode before the next. */
async function makeParents(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeParents(dirname(folder));
    await makeFolder(folder);
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
