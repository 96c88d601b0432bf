/**
 * Hints that a file changed, so that a line shows at once and not with the next sweep, which finds whatever hints miss.
 * One watcher per root and per folder directly below it, at most `MAX_WATCHERS`: Linux watches no trees, and a watcher
 * per file would reach its limits.
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

  /** Watch new folders. A folder that cannot be watched is left to the sweep. */
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
        // The machine has no more watchers, or the folder is gone: the sweep covers it.
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
