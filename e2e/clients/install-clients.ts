import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '@/scripts/lib/project-folder';
import { PATH } from '../support/program';

export interface Clients {
  /** The program of Claude Code. */
  claude: string;
  /** The module of the Agent SDK. */
  sdk: string;
  versions: string;
}

/** Installed clients stay until the next `npm ci`. */
const CACHE = join(projectFolder, 'node_modules', '.cache', 'clients');
// Without a tag, npm chooses an old version that supports this Node. The client's own program needs no Node.
const PACKAGES = ['@anthropic-ai/claude-code@latest', '@anthropic-ai/claude-agent-sdk@latest'];
const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];

/**
 * Install the clients from the npm registry, unless an earlier run installed them.
 * @returns the clients, or the reason why there are none
 */
export function installClients(): Clients | { missing: string } {
  const packages = join(CACHE, 'node_modules', '@anthropic-ai');
  const claude = join(packages, `claude-code-${process.platform}-${process.arch}`, 'claude');
  if (!existsSync(claude)) {
    mkdirSync(CACHE, { recursive: true });
    const env = { PATH, HOME: CACHE, NODE_ENV: 'production' } as const;
    const args = ['install', '--prefix', CACHE, ...FLAGS, ...PACKAGES];
    const { stderr, error } = spawnSync('npm', args, { encoding: 'utf8', env });
    if (!existsSync(claude)) return { missing: error?.message ?? `${claude} is missing. ${stderr.trim()}` };
  }
  const versions = ['claude-code', 'claude-agent-sdk'].map((name) => {
    const manifest = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
    return `${name} ${manifest.version}`;
  });
  return { claude, sdk: join(packages, 'claude-agent-sdk', 'sdk.mjs'), versions: versions.join(', ') };
}
