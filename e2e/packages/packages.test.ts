/** Both packages as a user gets them: from their tarballs, through a registry, in an empty folder and a new home. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '@/scripts/lib/project-folder';
import { startRegistry } from './registry';

let home: string;
let empty: string;
let environment: Record<string, string>;
let registry: Awaited<ReturnType<typeof startRegistry>>;

async function run(command: string, args: string[], cwd: string, env: Record<string, string>) {
  const child = spawn(command, args, {
    cwd,
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'barograph-packages-'));
  // Root runs Postgres as another account.
  chmodSync(home, 0o711);
  const packed = join(home, 'packed');
  empty = join(home, 'empty');
  for (const folder of [packed, empty]) mkdirSync(folder);
  const { PATH = '' } = process.env;
  const { code, output } = await run('npm', ['run', 'pack', '--', packed], projectFolder, {
    PATH,
    HOME: home,
  });
  expect(code, output).toBe(0);
  registry = await startRegistry(packed);
  environment = {
    PATH,
    HOME: home,
    npm_config_registry: registry.url,
    npm_config_cache: join(home, 'cache'),
    npm_config_update_notifier: 'false',
    BAROGRAPH_DATA_DIR: join(home, 'data'),
    BAROGRAPH_PORT: '0',
  };
}, 600_000);
afterAll(() => {
  registry?.stop();
  rmSync(home, { recursive: true, force: true });
});

const installed = (...path: string[]) => join(empty, 'node_modules', ...path);

/** Megabytes of a folder. */
function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6;
}

test('the server package installs few packages, without Next, and serves pages, styles and the read API', async () => {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
  const { code, output } = await run('npm', ['install', ...flags, 'barograph-server'], empty, environment);
  expect(code, output).toBe(0);
  expect(existsSync(installed('barograph'))).toBe(true);
  expect(existsSync(installed('next'))).toBe(false);
  const folder = installed('barograph-server');
  expect(readdirSync(folder).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'NOTICES.txt',
    'README.md',
    'app',
    'package.json',
  ]);
  expect(sizeOf(folder)).toBeLessThan(45);
  const main = join(folder, 'app', 'dist', 'server', 'main.mjs');
  expect(existsSync(`${main}.map`)).toBe(true);
  const server = spawn(process.execPath, [main], {
    env: environment as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let text = '';
    for await (const chunk of server.stdout) {
      text += chunk;
      if (text.includes('Stop with')) break;
    }
    expect(text).toContain('is ready');
    const { url, readToken } = JSON.parse(readFileSync(join(home, 'data', 'connection.json'), 'utf8'));
    const page = await fetch(`${url}/`);
    expect(page.status).toBe(200);
    const [, style = ''] = /href="(\/_next\/static\/[^"]+\.css)"/.exec(await page.text()) ?? [];
    expect((await fetch(url + style)).headers.get('content-type')).toContain('text/css');
    const answer = await fetch(`${url}/api/v1/sessions`, {
      headers: { authorization: `Bearer ${readToken}` },
    });
    expect(await answer.json()).toMatchObject({ sessions: [] });
  } finally {
    server.kill('SIGTERM');
    expect(await once(server, 'close')).toEqual([0, null]);
  }
}, 120_000);
