/**
 * Builds what `npm start` runs: the pages, the server bundle and the runner package. `--if-needed` does
 * nothing when no source changed since the last build.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { hashSources } from './lib/hash-sources';
import { projectFolder } from './lib/project-folder';

const stampPath = join(projectFolder, 'dist', 'build-stamp');

async function main(): Promise<void> {
  const stamp = hashSources(projectFolder);
  if (process.argv.includes('--if-needed') && readStamp() === stamp) return;
  const startedAt = Date.now();
  process.stdout.write('Building (half a minute, once per version) …\n');
  // Without its stamp an interrupted build is built again.
  rmSync(stampPath, { force: true });
  await bundleServer();
  runNode('next/dist/bin/next', ['build']);
  buildRunner();
  mkdirSync(join(projectFolder, 'dist'), { recursive: true });
  writeFileSync(stampPath, stamp);
  process.stdout.write(`Built in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s.\n\n`);
}

function readStamp(): string | null {
  return existsSync(stampPath) ? readFileSync(stampPath, 'utf8') : null;
}

/** One file in place of a few hundred: starts in half the time. Packages stay outside. */
async function bundleServer(): Promise<void> {
  await build({
    absWorkingDir: projectFolder,
    entryPoints: ['server/main.ts'],
    outfile: 'dist/server/main.mjs',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    logLevel: 'warning',
  });
}

function buildRunner(): void {
  const manifest = JSON.parse(readFileSync(join(projectFolder, 'runner', 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>;
  };
  if (manifest.scripts?.build === undefined) return;
  run('npm', ['run', '--silent', 'build', '--workspace', 'runner']);
}

function runNode(script: string, args: string[]): void {
  run(process.execPath, [join(projectFolder, 'node_modules', script), ...args]);
}

function run(file: string, args: string[]): void {
  const { status } = spawnSync(file, args, {
    cwd: projectFolder,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    // Progress goes to stderr: stdout belongs to what the server prints.
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    process.stderr.write(`The build failed: ${file} ${args.join(' ')}\n`);
    process.exit(1);
  }
}

await main();
