/** What an agent pays for the runner: bundled kilobytes, and processor time beyond a bare start of Node. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { projectFolder } from '../scripts/lib/project-folder';
import type { Figure } from './lib/figures';

const dist = join(projectFolder, 'runner', 'dist');
const ROUNDS = 8;
/** A module that prints the processor time of its process, microseconds. */
const PRINT = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => { const { user, system } = process.cpuUsage(); console.error("cpu " + (user + system)); });',
)}`;

async function bundledKilobytes(name: string, file: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `import { ${name} } from './${file}';\nconsole.log(${name});`, resolveDir: dist },
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outputFiles.reduce((sum, { contents }) => sum + contents.length, 0) / 1_000;
}

/** Milliseconds of processor time of Node with these arguments. The home folder is empty. */
function costOf(home: string, args: readonly string[], input = ''): number {
  const env = { PATH: process.env.PATH ?? '', HOME: home, NODE_ENV: 'production' as const };
  const options = { cwd: home, env, input, encoding: 'utf8' } as const;
  const { stderr } = spawnSync(process.execPath, ['--import', PRINT, ...args], options);
  return Number(/cpu (\d+)/.exec(stderr)?.[1]) / 1_000;
}

export async function measureRunner(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'barograph-runner-'));
  const client = pathToFileURL(join(dist, 'index.js')).href;
  const hook = JSON.stringify({ hook_event_name: 'SessionStart', source: 'startup', session_id: 's' });
  try {
    const costs = { bare: [] as number[], client: [] as number[], hook: [] as number[] };
    // In turns, because other processes slow down all alike. The smallest time is the least disturbed one.
    for (let round = 0; round < ROUNDS; round += 1) {
      costs.bare.push(costOf(home, ['--eval', '']));
      costs.client.push(costOf(home, ['--import', client, '--eval', '']));
      costs.hook.push(costOf(home, [join(dist, 'cli.js'), 'hook', '--no-wait'], hook));
    }
    const beyond = (values: readonly number[]) => Math.min(...values) - Math.min(...costs.bare);
    return [
      {
        name: 'ContextUsage alone, bundled',
        value: await bundledKilobytes('ContextUsage', 'usage.js'),
        unit: 'kB',
        most: 3,
      },
      {
        name: 'createClient alone, bundled',
        value: await bundledKilobytes('createClient', 'index.js'),
        unit: 'kB',
        most: 60,
      },
      {
        name: 'Import of the client, processor time beyond Node',
        value: beyond(costs.client),
        unit: 'ms',
        most: 40,
      },
      {
        name: 'Hook at a session’s start, processor time beyond Node',
        value: beyond(costs.hook),
        unit: 'ms',
        most: 60,
      },
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
