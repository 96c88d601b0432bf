import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Each account has its own folder, because a run as root repeats tests under another account. */
const folder = join(root, `test-results/scripts-${process.getuid?.() ?? 'own'}`);
const bundled = new Map<string, Promise<string>>();

/**
 * Bundle a script that tests start as a process, because a start from sources compiles hundreds of files and takes five
 * times as long. Each Vitest process bundles a script once.
 *
 * @param threads the script's worker threads. The script finds their bundles in its own folder
 * @returns the bundle's path
 */
export function bundleScript(script: string, threads: readonly string[] = []): Promise<string> {
  const known = bundled.get(script) ?? bundle([script, ...threads]);
  bundled.set(script, known);
  return known.then(() => join(folder, basename(script).replace(/\.ts$/, '.mjs')));
}

async function bundle(entryPoints: string[]): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const built = mkdtempSync(join(folder, 'new-'));
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir: built,
    entryNames: '[name]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: ['pino', 'piscina'],
    // Bundled CommonJS packages call `require`.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  // A rename replaces the bundle of another Vitest process at once, so no process reads half of a file.
  for (const name of readdirSync(built)) renameSync(join(built, name), join(folder, name));
  rmSync(built, { recursive: true });
  return folder;
}
