import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const neverOurs = new Set(['node_modules', '.next', 'dist', '.git', 'test-results', '__pycache__']);

/** Paths of all files below `folder`, relative to `root` and in a fixed order. */
export function listFiles(root: string, folder: string): string[] {
  const found: string[] = [];
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (neverOurs.has(entry.name)) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...listFiles(root, path));
    else if (entry.isFile()) found.push(path);
  }
  return found;
}
