/** Keeps damaged files in the folder `damaged` beside the queues, because the queue's own folder is removed once it is empty. */
import { copyFileSync, linkSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { makePrivateFolder } from './queue-files';

const asideFolder = (parent: string) => path.join(parent, 'damaged');

/** Keep a file of a queue's folder under a second name. @returns its path. @throws what the file system throws. */
export function keepAside(file: string): string {
  const folder = path.dirname(file);
  const target = asideFolder(path.dirname(folder));
  makePrivateFolder(target);
  const kept = path.join(target, `${path.basename(folder)}-${Date.now()}-${path.basename(file)}.damaged`);
  try {
    // A link also keeps a file that cannot be read.
    linkSync(file, kept);
  } catch {
    copyFileSync(file, kept);
  }
  return kept;
}

/** Paths of the files that were kept. */
export function listKept(parent: string): string[] {
  try {
    return readdirSync(asideFolder(parent)).map((name) => path.join(asideFolder(parent), name));
  } catch {
    return [];
  }
}
