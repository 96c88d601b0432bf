/**
 * Builds what `npm start` runs: the pages, the server bundle and the runner package. With `--if-needed`, builds only if
 * a source changed since the last build.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { listFiles } from './lib/list-files';
import { SERVER_PACKAGES } from './lib/pack-server';
import { projectFolder } from './lib/project-folder';

const sourceFolders = ['app', 'components', 'core', 'db', 'runner', 'server'];
const sourceFiles = [
  'next.config.mjs',
  'postcss.config.mjs',
  'tsconfig.json',
  'package-lock.json',
  'scripts/build.ts',
  'scripts/manage-tokens.ts',
  'scripts/lib/run-token-command.ts',
  'scripts/manage-backups.ts',
  'scripts/lib/with-database.ts',
];

const stampPath = join(projectFolder, 'dist', 'build-stamp');

async function main(): Promise<void> {
  const stamp = hashSources();
  const built = existsSync(stampPath) ? readFileSync(stampPath, 'utf8') : null;
  if (process.argv.includes('--if-needed') && built === stamp) return;
  const startedAt = Date.now();
  process.stdout.write('Building (half a minute, once per version) …\n');
  // An interrupted build leaves no stamp, so the next start repeats the build.
  rmSync(stampPath, { force: true });
  await bundleServer();
  run(process.execPath, [join(projectFolder, 'node_modules/next/dist/bin/next'), 'build']);
  buildRunner();
  mkdirSync(join(projectFolder, 'dist'), { recursive: true });
  writeFileSync(stampPath, stamp);
  process.stdout.write(`Built in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s.\n\n`);
}

/** One hash over the names and contents of all sources of a build, without tests. */
function hashSources(): string {
  const hash = createHash('sha256').update(process.version);
  const paths = [...sourceFiles, ...sourceFolders.flatMap((folder) => listFiles(projectFolder, folder))];
  for (const path of paths) {
    if (/\.test\.tsx?$/.test(path)) continue;
    hash.update(`\0${path}\0`).update(readFileSync(join(projectFolder, path)));
  }
  return hash.digest('hex');
}

/**
 * Bundle hundreds of files, including packages, into one file, which halves the start time. Next and SERVER_PACKAGES are
 * not bundled, because they load their own files.
 */
async function bundleServer(): Promise<void> {
  rmSync(join(projectFolder, 'dist', 'server'), { recursive: true, force: true });
  await build({
    absWorkingDir: projectFolder,
    // Worker threads, the token command and the backup command need their own bundles.
    entryPoints: {
      main: 'server/main.ts',
      'contents-thread': 'server/transcripts/contents-thread.ts',
      'reads-thread': 'server/transcripts/reads-thread.ts',
      token: 'scripts/manage-tokens.ts',
      backup: 'scripts/manage-backups.ts',
    },
    outdir: 'dist/server',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Programs share code, and the S3 client is loaded only where it is used.
    splitting: true,
    target: 'node20',
    external: ['next', ...SERVER_PACKAGES],
    // Bundled CommonJS packages call `require`.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
  });
}

function buildRunner(): void {
  const manifest = JSON.parse(readFileSync(join(projectFolder, 'runner', 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  run('npm', ['run', '--silent', 'build', '--workspace', 'runner']);
  linkCommands(manifest.bin);
}

/** npm links the commands of a workspace at install, but only if their files exist. */
function linkCommands(commands: Record<string, string>): void {
  const folder = join(projectFolder, 'node_modules', '.bin');
  for (const [name, file] of Object.entries(commands)) {
    const target = join(projectFolder, 'runner', file);
    chmodSync(target, 0o755);
    if (existsSync(join(folder, name))) continue;
    rmSync(join(folder, name), { force: true });
    symlinkSync(relative(folder, target), join(folder, name));
  }
}

function run(file: string, args: string[]): void {
  const { status } = spawnSync(file, args, {
    cwd: projectFolder,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    // Progress goes to stderr: stdout is for the server.
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    process.stderr.write(`The build failed: ${file} ${args.join(' ')}\n`);
    process.exit(1);
  }
}

await main();
