/**
 * Hints that a file changed, so that a line shows at once and not with the next sweep. Only hints: what
 * they miss, the sweep finds. It owns one watcher per root and one per folder directly below (Linux
 * watches no trees, and a watcher per file would run into its limits), at most `MAX_WATCHERS`.
 */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

const MAX_WATCHERS = 256;

export class FolderHints {
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #onHint: (path: string) => void;

  constructor(onHint: (path: string) => void) {
    this.#onHint = onHint;
  }

  /** Watches the folders that are new. A folder that cannot be watched is left to the sweep. */
  follow(folders: readonly string[]): void {
    for (const folder of folders) {
      if (this.#watchers.has(folder) || this.#watchers.size >= MAX_WATCHERS) continue;
      try {
        const watcher = watch(folder, (_event, name) => {
          if (name !== null) this.#onHint(join(folder, name));
        });
        watcher.on('error', () => this.#drop(folder));
        this.#watchers.set(folder, watcher);
      } catch {
        // No more watchers on this machine, or the folder is gone: the sweep sees it.
      }
    }
  }

  close(): void {
    for (const folder of [...this.#watchers.keys()]) this.#drop(folder);
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}
