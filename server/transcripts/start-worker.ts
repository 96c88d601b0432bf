import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * A thread of this folder: built, or as source where the process itself runs sources. A thread does not inherit how
 * those are read, so it is told in a line of its own. It gets nothing of the environment.
 */
export function startWorker(name: string, options: WorkerOptions): Worker {
  const bare: WorkerOptions = { execArgv: [], env: {}, ...options };
  const built = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  if (existsSync(built)) return new Worker(built, bare);
  const source = new URL(`./${name}.ts`, import.meta.url).href;
  const loader = pathToFileURL(
    createRequire(import.meta.url)
      .resolve('tsx/esm/api')
      .replace(/cjs$/, 'mjs'),
  ).href;
  const code = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(source)}); });`;
  return new Worker(code, { ...bare, eval: true });
}
