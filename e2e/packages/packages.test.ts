/** Installs both packages as a user does: from their tarballs, through a registry, in an empty folder and a new home. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { projectFolder } from '@/scripts/lib/project-folder';
import { startRegistry } from './registry';

/** Long enough for a first start (migrations and the first page) on a machine that also runs other tests. */
const LIMIT_MS = 240_000;

type Variables = Record<string, string>;

let home: string;
let empty: string;
let environment: Variables;
let registry: Awaited<ReturnType<typeof startRegistry>>;

const running: { child: ChildProcess; ended: Promise<unknown> }[] = [];

/** `said` resolves as soon as the output contains `text`. `ended` resolves with the exit code and the output. */
function start(command: string, args: string[], cwd: string, env: Variables, text = '') {
  const child = spawn(command, args, {
    cwd,
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  const said = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
        if (text !== '' && output.includes(text)) resolve();
      });
    ended.then(() => reject(new Error(output)), reject);
  });
  running.push({ child, ended });
  // A caller without a text does not wait for `said`.
  said.catch(() => undefined);
  return { child, said, ended };
}

const run = (...args: Parameters<typeof start>) => start(...args).ended;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'barograph-packages-'));
  // If root runs the tests, Postgres runs as another account, which must be able to enter this folder.
  chmodSync(home, 0o711);
  const packed = join(home, 'packed');
  empty = join(home, 'empty');
  for (const folder of [packed, empty, join(home, 'bin')]) mkdirSync(folder);
  // The tests must not change the services of this machine.
  for (const manager of ['systemctl', 'launchctl']) writeManager(manager, 'exit 1');
  const PATH = `${join(home, 'bin')}${delimiter}${process.env.PATH}`;
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
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
});
afterAll(async () => {
  for (const folder of ['data', 'fresh'])
    await barograph(['down'], { BAROGRAPH_DATA_DIR: join(home, folder) }).ended;
  registry?.stop();
  rmSync(home, { recursive: true, force: true });
}, LIMIT_MS);

function writeManager(name: string, script: string): void {
  writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const installed = (...path: string[]) => join(empty, 'node_modules', ...path);

const barograph = (args: string[], env: Variables = {}, text = '') =>
  start(installed('.bin', 'barograph'), args, empty, { ...environment, ...env }, text);

const connectionIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'connection.json'), 'utf8')) as { url: string; readToken: string };

const lockIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'server.lock'), 'utf8')) as { pid: number };

async function readSessions(folder: string, token = connectionIn(folder).readToken): Promise<unknown[]> {
  const { url } = connectionIn(folder);
  const answer = await fetch(`${url}/api/v1/sessions`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { sessions: unknown[] }).sessions;
}

test(
  'the server package installs without Next, and serves pages, styles and the read API',
  async () => {
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
    const { code, output } = await run('npm', ['install', ...flags, 'barograph-server'], empty, environment);
    expect(code, output).toBe(0);
    expect(existsSync(installed('next'))).toBe(false);
    const folder = installed('barograph-server');
    const parts = ['CHANGELOG.md', 'LICENSE', 'NOTICES.txt', 'README.md', 'app', 'package.json'];
    expect(readdirSync(folder).sort()).toEqual(parts);
    const main = join(folder, 'app', 'dist', 'server', 'main.mjs');
    for (const file of [main, installed('barograph', 'dist', 'cli.js')])
      expect(existsSync(`${file}.map`)).toBe(true);
    for (const name of ['barograph', 'barograph-server'])
      expect(JSON.parse(readFileSync(installed(name, 'package.json'), 'utf8'))).toMatchObject({
        repository: { type: 'git' },
        keywords: expect.arrayContaining(['claude-code']),
      });
    const server = start(process.execPath, [main], empty, environment, 'Stop with');
    await server.said;
    const { url } = connectionIn(join(home, 'data'));
    const page = await (await fetch(`${url}/`)).text();
    const text = page.replaceAll(/<[^>]*>/g, '');
    expect([text.includes('npx barograph connect'), text.includes('node_modules')]).toEqual([true, false]);
    const [, style = ''] = /href="(\/_next\/static\/[^"]+\.css)"/.exec(page) ?? [];
    expect((await fetch(url + style)).headers.get('content-type')).toContain('text/css');
    expect(await readSessions(join(home, 'data'))).toEqual([]);
    const down = await barograph(['down']).ended;
    expect(down).toMatchObject({
      code: 1,
      output: expect.stringContaining('was not started by `barograph up`'),
    });
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0 });
  },
  LIMIT_MS,
);

test(
  'one command installs the server, imports and connects an agent, and keeps everything after a kill',
  async () => {
    const data = join(home, 'fresh');
    const projects = join(home, '.claude', 'projects', '-work');
    mkdirSync(projects, { recursive: true });
    cpSync(
      join(projectFolder, 'runner/fixtures/claude-agent-sdk/transcript.jsonl'),
      join(projects, '0a8c2b9e-6a4d-4c1e-9a57-1f2e3d4c5b6a.jsonl'),
    );
    const cwd = join(home, 'nothing');
    mkdirSync(cwd);
    const env = { ...environment, BAROGRAPH_DATA_DIR: data };
    const first = await run('npx', ['--yes', 'barograph', 'up', '--background', '--yes'], cwd, env);
    expect(first.code, first.output).toBe(0);
    for (const text of [
      'Installed in',
      'Barograph is ready at',
      'Imported ',
      'Connected: Claude Code',
      'runs beside the server',
      'barograph down',
    ])
      expect(first.output).toContain(text);
    const command = join(data, 'program', 'node_modules', 'barograph', 'dist', 'cli.js');
    const kept = (...args: string[]) => run(process.execPath, [command, ...args], cwd, env);
    expect(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')).toContain(command);
    const sessions = await readSessions(data);
    expect(sessions).toHaveLength(1);
    const { pid } = lockIn(data);
    const again = await kept('up', '--background');
    expect(again).toMatchObject({
      code: 0,
      output: expect.stringContaining(`is already running at ${connectionIn(data).url}`),
    });
    expect(lockIn(data).pid).toBe(pid);
    expect(await kept('status')).toMatchObject({
      code: 0,
      output: expect.stringContaining(`process ${pid}`),
    });
    expect((await kept('logs', '--lines', '50')).output).toContain('is ready.');
    const { output: token } = await kept('token', '--name', 'laptop', '--scope', 'read');
    const [readToken = ''] = /^bg_\S+$/m.exec(token) ?? [];
    expect(await readSessions(data, readToken)).toEqual(sessions);
    process.kill(pid, 'SIGKILL');
    await expect.poll(async () => (await kept('status')).output).toContain('No server is running.');
    const restarted = await kept('up', '--background');
    expect(restarted.code, restarted.output).toBe(0);
    expect(await readSessions(data)).toEqual(sessions);
    expect(await kept('down')).toMatchObject({ code: 0, output: 'Stopped. All data is kept.\n' });
    expect(await kept('down')).toMatchObject({ code: 0, output: `No server is running on ${data}.\n` });
  },
  LIMIT_MS,
);

test(
  'a server in the foreground stops at Ctrl-C, and a start on a used port names the setting for the port',
  async () => {
    const up = barograph(['up'], {}, 'Stop with Ctrl-C.');
    await up.said;
    up.child.kill('SIGINT');
    expect(await up.ended).toMatchObject({ code: 0, output: expect.stringContaining('Stopped.') });
    for (const mode of [[], ['--background']]) {
      const refused = await barograph(['up', ...mode], { BAROGRAPH_PORT: new URL(registry.url).port }).ended;
      expect(refused).toMatchObject({
        code: 1,
        output: expect.stringContaining('Set BAROGRAPH_PORT to a free port'),
      });
    }
    expect(await barograph(['status']).ended).toMatchObject({ code: 1 });
  },
  LIMIT_MS,
);

test(
  'up --background runs the server as a service of the system until down',
  async () => {
    const unit = join(home, '.config', 'systemd', 'user', 'barograph-server.service');
    // A script that starts and stops the unit as systemd does.
    writeManager(
      'systemctl',
      `read_unit() { sed -n "s/^$1=//p" '${unit}'; }
case "$2" in
  restart) eval "exec env $(read_unit Environment | tr '\\n' ' ') $(read_unit ExecStart)" >>"$(read_unit StandardOutput | cut -d: -f2)" 2>&1 </dev/null &
    echo $! >'${home}/service.pid' ;;
  disable) kill "$(cat '${home}/service.pid')"; while [ -e '${home}/data/server.lock' ]; do sleep 0.1; done ;;
esac
exit 0`,
    );
    const up = await barograph(['up', '--background', '--no-agents']).ended;
    expect(up.code, up.output).toBe(0);
    expect(readFileSync(unit, 'utf8')).toContain('--started-by-up');
    expect((await barograph(['status']).ended).output).toContain(`Service  ${unit}`);
    expect((await barograph(['logs']).ended).output).toContain('is ready.');
    expect(await barograph(['down']).ended).toMatchObject({
      code: 0,
      output: 'Stopped. All data is kept.\n',
    });
    expect(existsSync(unit)).toBe(false);
  },
  LIMIT_MS,
);
