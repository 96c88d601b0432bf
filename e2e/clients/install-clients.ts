import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '@/scripts/lib/project-folder';

export interface Clients {
  /** The programs of the clients. */
  claude: string;
  codex: string;
  gemini: string;
  opencode: string;
  /** The module of the Agent SDK. */
  sdk: string;
}

/** Installed clients stay until the next `npm ci` or the next change of a version. */
const CACHE = join(projectFolder, 'node_modules', '.cache', 'clients');
export const PACKAGES = [
  '@anthropic-ai/claude-code@2.1.330',
  '@anthropic-ai/claude-agent-sdk@0.3.330',
  '@openai/codex@0.169.0',
  '@google/gemini-cli@0.61.0',
  'opencode-ai@1.18.33',
];
const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];

/**
 * Install the clients from the npm registry, unless an earlier run installed them.
 * @returns the clients, or the reason why there are none
 */
export function installClients(): Clients | { missing: string } {
  const folder = join(CACHE, PACKAGES.map((name) => name.replace(/.*@/, '')).join('-'));
  const anthropic = join(folder, 'node_modules', '@anthropic-ai');
  const clients = {
    claude: join(anthropic, `claude-code-${process.platform}-${process.arch}`, 'claude'),
    codex: join(folder, 'node_modules', '.bin', 'codex'),
    gemini: join(folder, 'node_modules', '.bin', 'gemini'),
    // The package's start script works only after an install script, so the tests start the program itself.
    opencode: join(folder, 'node_modules', `opencode-${process.platform}-${process.arch}`, 'bin', 'opencode'),
    sdk: join(anthropic, 'claude-agent-sdk', 'sdk.mjs'),
  };
  const lacking = () => Object.values(clients).find((file) => !existsSync(file));
  if (lacking() === undefined) return clients;
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, ...FLAGS, ...PACKAGES];
  const { stderr, error } = spawnSync('npm', args, { encoding: 'utf8' });
  const missing = lacking();
  if (missing === undefined) return clients;
  return { missing: error?.message ?? `${missing} is missing. ${stderr.trim()}` };
}
