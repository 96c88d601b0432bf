import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { projectFolder } from '../../scripts/lib/project-folder';

/** One file of a process's sources, as production runs them, in `dist/bench`. */
export async function bundleProcess(entry: string): Promise<string> {
  const outfile = join(projectFolder, 'dist', 'bench', entry.replaceAll('/', '-').replace(/\.ts$/, '.mjs'));
  await build({
    absWorkingDir: projectFolder,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    logLevel: 'warning',
  });
  return outfile;
}

/**
 * Starts a bundle with an environment of its own; its errors go to our stderr, IPC is open. It does not outlive
 * this process, however that one ends.
 *
 * @param options.ownSession a session of its own (setsid), with a share of the processor of its own
 */
export function spawnBundle(
  file: string,
  variables: Record<string, string>,
  options: { ownSession?: boolean } = {},
): ChildProcess {
  const env = { NODE_ENV: 'production', ...variables } as const;
  const child = spawn(process.execPath, [file], {
    cwd: projectFolder,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: options.ownSession ?? false,
  });
  const end = () => child.kill();
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
  return child;
}
