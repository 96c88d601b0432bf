import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether the module of this `import.meta.url` is the one that was started. */
export function isMain(url: string): boolean {
  const started = process.argv[1];
  return started !== undefined && fileURLToPath(url) === realpathSync(started);
}
