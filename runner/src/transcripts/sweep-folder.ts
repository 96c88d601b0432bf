import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formats } from '../adapters/formats';

export interface Sweep {
  /** Sizes of all transcripts below the root, by path. */
  sizes: Map<string, number>;
  /** Folders directly below the root that hold any, for hints. */
  folders: string[];
}

/** Goes through a folder tree once. What disappears meanwhile is left out; links are not followed. */
export async function sweepFolder(root: string): Promise<Sweep> {
  const sizes = new Map<string, number>();
  const folders: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth === 0) folders.push(path);
        await visit(path, depth + 1);
      } else if (entry.isFile() && formats.some((format) => format.accepts(path))) {
        const size = await stat(path).then(
          (found) => found.size,
          () => null,
        );
        if (size !== null) sizes.set(path, size);
      }
    }
  };
  await visit(root, 0);
  return { sizes, folders };
}
