/** Keeps damaged files in the folder `damaged` beside the queues, because the queue's own folder is removed once it is empty. */
import { copyFileSync, linkSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { makePrivateFolder } from './queue-files';

const asideFolder = (parent: string) => path.join(parent, 'damaged');

/** Keep a file of a queue's folder under a second name. @returns its path, or null if the file cannot be kept. */
export function keepAside(file: string): string | null {
  const folder = path.dirname(file);
  const target = asideFolder(path.dirname(folder));
  const kept = path.join(target, `${path.basename(folder)}-${Date.now()}-${path.basename(file)}.damaged`);
  // A link also keeps a file that cannot be read.
  for (const keep of [linkSync, copyFileSync]) {
    try {
      makePrivateFolder(target);
      keep(file, kept);
      return kept;
    } catch {
      // Some file systems have no links.
    }
  }
  return null;
}

/** Paths of the files that were kept. */
export function listKept(parent: string): string[] {
  try {
    return readdirSync(asideFolder(parent)).map((name) => path.join(asideFolder(parent), name));
  } catch {
    return [];
  }
}
