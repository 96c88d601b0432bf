import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '@/scripts/lib/project-folder';
import type { ClientName } from './scenarios';

/** Installed clients stay until the next `npm ci` or the next change of a version. */
const CACHE = join(projectFolder, 'node_modules', '.cache', 'clients');
const PLATFORM = `${process.platform}-${process.arch}`;
/** The package of each client, and the path of its program. */
const PACKAGES: Record<ClientName, [name: string, program: string]> = {
  claude: ['@anthropic-ai/claude-code@2.1.330', `@anthropic-ai/claude-code-${PLATFORM}/claude`],
  sdk: ['@anthropic-ai/claude-agent-sdk@0.3.330', '@anthropic-ai/claude-agent-sdk/sdk.mjs'],
  codex: ['@openai/codex@0.169.0', '.bin/codex'],
  gemini: ['@google/gemini-cli@0.61.0', '.bin/gemini'],
  // The package's start script works only after an install script, so the tests start the program itself.
  opencode: ['opencode-ai@1.18.33', `opencode-${PLATFORM}/bin/opencode`],
};
const FLAGS =
  '--ignore-scripts --no-audit --no-fund --no-package-lock --loglevel=error --fetch-retries=1'.split(' ');

/**
 * Install a client from the npm registry, unless an earlier run installed it.
 * @returns the path of the client's program or module
 * @throws Error if this machine cannot install the client
 */
export function installClient(client: ClientName): string {
  const [name, program] = PACKAGES[client];
  const folder = join(CACHE, name.replaceAll('/', '-'));
  const path = join(folder, 'node_modules', program);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  // An interrupted installation leaves nothing at the final place.
  const fresh = mkdtempSync(join(CACHE, 'install-'));
  try {
    const args = ['install', '--prefix', fresh, ...FLAGS, name];
    const { stderr, error } = spawnSync('npm', args, { encoding: 'utf8' });
    if (!existsSync(join(fresh, 'node_modules', program)))
      throw new Error(error?.message ?? `${name} has no ${program}. ${stderr.trim()}`);
    // Other accounts may run the client too.
    chmodSync(fresh, 0o755);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return path;
}
