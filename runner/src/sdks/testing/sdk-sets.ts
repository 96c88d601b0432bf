/**
 * For tests: the pinned packages of each supported major version, installed from the npm registry into separate folders.
 * A machine that cannot install them skips the tests.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SETS = {
  oldest: [
    '@anthropic-ai/sdk@0.50.4',
    'openai@4.104.0',
    'ai@5.0.277',
    '@ai-sdk/openai@2.0.131',
    '@ai-sdk/anthropic@2.0.112',
    '@langchain/core@0.3.80',
    '@langchain/openai@0.6.17',
    '@openai/agents@0.1.11',
    'zod@3.25.76',
  ],
  middle: [
    '@anthropic-ai/sdk@0.104.2',
    'openai@5.23.2',
    'ai@6.0.326',
    '@ai-sdk/openai@3.0.141',
    '@ai-sdk/anthropic@3.0.140',
    'zod@4.1.8',
  ],
  newest: [
    '@anthropic-ai/sdk@1.12.0',
    'openai@7.57.0',
    'ai@7.0.173',
    '@ai-sdk/openai@4.0.118',
    '@ai-sdk/anthropic@4.0.105',
    '@langchain/core@1.4.0',
    '@langchain/openai@1.6.0',
    '@openai/agents@0.20.0',
    'zod@4.1.8',
  ],
  // `--omit=optional` leaves out the program of Claude Code, which `npm run test:agents` installs and runs.
  'types-only': ['@anthropic-ai/claude-agent-sdk@0.3.330', '--omit=optional'],
  // Check the package itself. `typescript` is the oldest supported version.
  checks: ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5', 'typescript-5.0@npm:typescript@5.0.4'],
};
export type SetName = keyof typeof SETS;

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const FLAGS =
  '--ignore-scripts --no-audit --no-fund --no-package-lock --legacy-peer-deps --loglevel=error'.split(' ');

/** The name depends on the pinned versions, so a changed version gets a new folder. */
export function folderOf(set: SetName): string {
  const pins = createHash('sha256').update(SETS[set].join(' ')).digest('hex').slice(0, 8);
  return path.join(root, 'node_modules', '.cache', 'sdks', `${set}-${pins}`);
}

/** The sets with this package. */
export function setsWith(name: string): SetName[] {
  const names = Object.keys(SETS) as SetName[];
  return names.filter((set) => SETS[set].some((pin) => pin.startsWith(`${name}@`)));
}

export function isInstalled(): boolean {
  return (Object.keys(SETS) as SetName[]).every((set) => existsSync(folderOf(set)));
}

/** Import a package of a set, as a program in the set's folder does. `Module` is the type of the used exports. */
export async function load<Module>(set: SetName, name: string): Promise<Module> {
  const loader = pathToFileURL(path.join(folderOf(set), 'load.mjs')).href;
  const { load: imported } = await import(/* @vite-ignore */ loader);
  return imported(name);
}

/** Vitest's global setup. */
export default function installSdks(): void {
  for (const set of Object.keys(SETS) as SetName[]) {
    const folder = folderOf(set);
    if (existsSync(folder)) continue;
    const fresh = `${folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    writeFileSync(path.join(fresh, 'package.json'), '{"private":true,"type":"module"}');
    writeFileSync(path.join(fresh, 'load.mjs'), 'export const load = (name) => import(name);\n');
    const { status, stderr } = spawnSync('npm', ['install', ...FLAGS, ...SETS[set]], {
      cwd: fresh,
      encoding: 'utf8',
    });
    if (status === 0) renameSync(fresh, folder);
    else {
      rmSync(fresh, { recursive: true, force: true });
      console.log(`skipped: the SDKs cannot be installed: ${stderr.trim()}`);
    }
  }
}
