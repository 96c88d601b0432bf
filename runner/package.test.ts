import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeServer } from './src/client/testing/fake-server';
import { reachOf } from './testing/built-imports';

const runner = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(runner, '..');
let work: string;
let empty: string;

interface Outcome {
  code: number | null;
  output: string;
}

/** Passes only the PATH of this process's environment. */
async function run(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Outcome> {
  const child = spawn(command, args, {
    cwd,
    env: {
      NODE_ENV: 'test',
      PATH: process.env.PATH ?? '',
      HOME: work,
      npm_config_cache: path.join(work, 'cache'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

async function pack(folder: string, ...flags: string[]): Promise<string> {
  const to = mkdtempSync(path.join(work, 'pack-'));
  const { code, output } = await run('npm', ['pack', '--pack-destination', to, ...flags], folder);
  expect(code, output).toBe(0);
  return path.join(to, readdirSync(to)[0] ?? '');
}

beforeAll(async () => {
  work = mkdtempSync(path.join(tmpdir(), 'p4-package-'));
  empty = path.join(work, 'empty');
  mkdirSync(empty);
  writeFileSync(path.join(empty, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  // The dependencies come as tarballs too, so that no registry is needed.
  const manifest = JSON.parse(readFileSync(path.join(runner, 'package.json'), 'utf8'));
  const tarballs = [await pack(runner)];
  const dependencies = Object.keys(manifest.dependencies).map((name) =>
    path.join(root, 'node_modules', name),
  );
  tarballs.push(...(await Promise.all(dependencies.map((folder) => pack(folder, '--ignore-scripts')))));
  const { code, output } = await run(
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', ...tarballs],
    empty,
  );
  expect(code, output).toBe(0);
}, 180_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

test('the installed package has few dependencies, without Next and React', () => {
  const installed = readdirSync(path.join(empty, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(installed.sort()).toEqual(['barograph', 'fzstd', 'node-sqlite3-wasm', 'zod']);
});

test('a CommonJS program gets every export, with classes shared between the parts', async () => {
  const { exports } = JSON.parse(readFileSync(path.join(runner, 'package.json'), 'utf8'));
  const parts = Object.keys(exports).filter((part) => !part.includes('*'));
  const program = `
    const of = (part) => 'barograph' + part.slice(1);
    const names = (part) => Object.keys(part).filter((name) => !/^(default|module\\.exports|__esModule)$/.test(name)).sort();
    const compare = async (part) => [names(require(of(part))), names(await import(of(part)))];
    const isShared = require('barograph/usage').ContextUsage === require('barograph/restart').ContextUsage;
    const prompts = Object.keys(require('barograph/restart').loadPrompts());
    Promise.all(${JSON.stringify(parts)}.map(compare)).then((pairs) => console.log(JSON.stringify({ isShared, prompts, pairs })));`;
  const { output } = await run(process.execPath, ['--input-type=commonjs', '--eval', program], empty);
  const { isShared, prompts, pairs } = JSON.parse(output);
  expect(isShared).toBe(true);
  expect(prompts).toHaveLength(3);
  for (const [required, imported] of pairs) expect(required).toEqual(imported);
  expect(pairs).toHaveLength(8);
});

test('no page of the package links to a file outside the package', () => {
  const folder = path.join(empty, 'node_modules', 'barograph');
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  expect(pages).toContain(path.join('dist', 'library', 'README.md'));
  const dead = pages.flatMap((page) => {
    const links = [...readFileSync(path.join(folder, page), 'utf8').matchAll(/\]\(([^)#\s]+)/g)];
    const targets = links.map(([, target]) => target ?? '').filter((target) => !/^[a-z]+:/.test(target));
    const isDead = (target: string) => !existsSync(path.join(folder, path.dirname(page), target));
    return targets.filter(isDead).map((target) => `${page}: ${target}`);
  });
  expect(dead).toEqual([]);
});

/** Runs an example of the installed package. @returns what it printed and what the server got. */
async function runExample(name: string): Promise<{ output: string; items: FakeServer['items'] }> {
  const server = await FakeServer.start();
  try {
    const example = path.join('node_modules', 'barograph', 'examples', name);
    const env = { BAROGRAPH_URL: server.url, BAROGRAPH_TOKEN: 'bg_test', TMPDIR: work };
    const { code, output } = await run(process.execPath, [example], empty, env);
    expect(output).toContain('Everything was stored.');
    expect(code).toBe(0);
    return { output, items: server.items };
  } finally {
    await server.stop();
  }
}

test('the session example reports a session to a running server', async () => {
  const { items } = await runExample('report-a-session.mjs');
  const types = items.map(({ type }) => type);
  expect([types[0], types.at(-1)]).toEqual(['session_start', 'session_end']);
  expect(types.filter((type) => type === 'turn')).toHaveLength(20);
});

test('the tracker example reports the composition of each turn, and each compression', async () => {
  const { output, items } = await runExample('context-tracker.mjs');
  expect(output).toContain('"tokensBefore":8394,"tokensAfter":4943,"removed":17');
  const turns = items.filter(({ type }) => type === 'turn');
  expect(turns).toHaveLength(12);
  expect(turns.every(({ basis, composition }) => basis === 'estimate' && composition)).toBe(true);
  expect(items.filter(({ type }) => type === 'compress')).toHaveLength(1);
});

test('the context usage example reports turns up to the restart line', async () => {
  const { output, items } = await runExample('context-usage.mjs');
  expect(output).toContain('turn 1: input=487 output=5880 cache_read=1432262 … 3.2 % of 200000 (nominal)');
  expect(output).toMatch(/turn 4: Context pressure of session example-\d+: 91\.4% \(input=130487 /);
  expect(items.filter(({ type }) => type === 'turn')).toHaveLength(4);
});

test('the restart loop example continues from checkpoints with the package’s prompts', async () => {
  const { output, items } = await runExample('restart-loop.mjs');
  expect(output).toContain('finished: 9 files in 3 contexts, 2 restarts');
  const restarts = items.filter(({ type }) => type === 'restart');
  expect(restarts.map(({ continuation, pressure }) => [continuation, pressure])).toEqual([
    [1, 0.92],
    [2, 0.92],
  ]);
  expect(restarts[0]?.prompt).toMatch(/^CONTINUING FROM PREVIOUS SESSION\n[\s\S]*Repaired so far: 4/);
});

test('the archive example keeps two whole transcripts and reports both before their compactions', async () => {
  const { output, items } = await runExample('precompact-archive.mjs');
  expect(output).toMatch(/PreCompact: archived the transcript \(trigger: auto\) to \S+ \(15\.9 KB\)/);
  expect(output.match(/stored +auto +(8|16) lines {2}intact/g)).toHaveLength(2);
  const events = items.filter(({ type }) => type === 'compaction' || type === 'archive');
  expect(events.map(({ type, state }) => `${type} ${state}`)).toEqual([
    'compaction pending',
    'archive stored',
    'compaction confirmed',
    'compaction pending',
    'archive stored',
    'compaction confirmed',
  ]);
});

test('the installed hook answers {} and archives', async () => {
  const transcript = path.join(work, 'transcript.jsonl');
  writeFileSync(transcript, '{"type":"user"}\n');
  const input = path.join(work, 'hook.json');
  writeFileSync(input, JSON.stringify({ session_id: 's', transcript_path: transcript, trigger: 'auto' }));
  const env = { BAROGRAPH_CONFIG_DIR: path.join(work, 'hook-config') };
  const command = 'node_modules/.bin/barograph hook <"$0" 2>/dev/null';
  expect(await run('sh', ['-c', command, input], empty, env)).toEqual({ code: 0, output: '{}' });
  const [key = ''] = readdirSync(path.join(work, 'hook-config', 'runs'));
  const archives = readdirSync(path.join(work, 'hook-config', 'runs', key, 'archives'));
  expect(archives.filter((name) => name.endsWith('_transcript.jsonl'))).toHaveLength(1);
});

/** The vendor's package, in the folder above `empty`, so that it does not count as a dependency of this package. */
function lendOpenAI(): void {
  const folder = path.join(work, 'node_modules');
  mkdirSync(folder, { recursive: true });
  const lent = path.join(folder, 'openai');
  if (!existsSync(lent)) symlinkSync(path.join(root, 'node_modules', 'openai'), lent, 'dir');
}

test('the OpenAI snapshot example reports main calls, side calls and a restart', async () => {
  lendOpenAI();
  const { output, items } = await runExample('openai-snapshots.mjs');
  expect(output).toContain('98.5 %  critical   15758 tokens, 0 until the restart line');
  const turns = items.filter(({ type }) => type === 'turn');
  const [main, side] = ['main', 'side'].map((wanted) => turns.filter(({ scope }) => scope === wanted));
  expect([main?.length, side?.length]).toEqual([12, 12]);
  expect(main?.every(({ basis, limit }) => basis === 'total' && limit === 16_000)).toBe(true);
  expect(side?.some(({ contextTokens }) => contextTokens !== undefined)).toBe(false);
  expect(items.filter(({ type }) => type === 'restart')).toHaveLength(1);
});

test('a program with the README’s setup.mjs sends its turns at its end', async () => {
  const readme = readFileSync(path.join(empty, 'node_modules', 'barograph', 'README.md'), 'utf8');
  const [, setup = ''] = /file `setup\.mjs`:\n+```js\n([\s\S]*?)```/.exec(readme) ?? [];
  const server = await FakeServer.start();
  try {
    writeFileSync(path.join(empty, 'setup.mjs'), setup);
    writeFileSync(
      path.join(empty, 'uses-setup.mjs'),
      "import { prompt, session } from './setup.mjs';\nsession.turn({ usage: { inputTokens: prompt.length } });\n",
    );
    const env = { BAROGRAPH_URL: server.url, BAROGRAPH_TOKEN: 'bg_test', BAROGRAPH_DATA_DIR: work };
    const { code, output } = await run(process.execPath, ['uses-setup.mjs'], empty, env);
    expect([code, output]).toEqual([0, '']);
    expect(server.items.map(({ type }) => type)).toEqual(['turn', 'session_end']);
  } finally {
    await server.stop();
  }
});

async function expectTypes(name: string, program: string, ...flags: string[]): Promise<void> {
  writeFileSync(path.join(empty, name), program);
  const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
  const target = ['--module', 'nodenext', '--target', 'es2022', '--types', ''];
  const { code, output } = await run(tsc, ['--noEmit', '--strict', ...flags, ...target, name], empty);
  expect(output).toBe('');
  expect(code).toBe(0);
}

test('the README’s setup.mjs fits the types under strict', async () => {
  const readme = readFileSync(path.join(empty, 'node_modules', 'barograph', 'README.md'), 'utf8');
  const [, setup = ''] = /file `setup\.mjs`:\n+```js\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(setup).toContain('...findServer()');
  const declared = 'declare const process: { once(event: string, listener: () => unknown): void };\n';
  await expectTypes(
    'typed-setup.mts',
    setup.replace('\n\n', `\n${declared}`),
    '--exactOptionalPropertyTypes',
  );
});

test('a tracked client keeps the types of the openai package', async () => {
  lendOpenAI();
  const program = `import OpenAI, { AzureOpenAI } from 'openai';
import { createClient } from 'barograph';
import { trackOpenAI } from 'barograph/openai';
const barograph = createClient({ url: 'http://127.0.0.1:1', token: null, project: 'p', runner: { name: 'r' }, queueFolder: '/tmp/q' });
const openai = trackOpenAI(new OpenAI(), { session: barograph.session('s'), limit: 128_000 });
export const tokens: number | null = openai.snapshot.contextTokens;
export const client: OpenAI = openai;
export const side: AzureOpenAI = trackOpenAI(new AzureOpenAI()).side;
export const stream = openai.chat.completions.create({ model: 'm', messages: [], stream: true });
// @ts-expect-error a request must name its model
openai.chat.completions.create({ messages: [] });
// @ts-expect-error only a client can be tracked
trackOpenAI('openai');
`;
  await expectTypes(
    'openai-program.ts',
    program,
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    '--lib',
    'es2023,dom',
  );
});

test('the types resolve in a program with Node’s resolution', async () => {
  const program = `import { createClient, type ClientStats } from 'barograph';
const client = createClient({ url: 'http://127.0.0.1:1', token: null, project: 'p', runner: { name: 'r' }, queueFolder: '/tmp/q' });
export const seq: number | null = client.session('s').turn({ usage: { inputTokens: 1 } });
export const stats: ClientStats = client.stats();
// @ts-expect-error an input must be a number
client.session('s').turn({ usage: { inputTokens: 'many' } });
`;
  await expectTypes('program.ts', program);
});

test.each(['usage', 'restart', 'archive', 'openai', 'sdks', 'tracker', 'logger'])(
  'barograph/%s imports no package',
  (entry) => {
    const reach = reachOf(path.join(empty, 'node_modules', 'barograph', 'dist', `${entry}.js`));
    expect(reach.packages).toEqual([]);
  },
);

/** The whole program in one file, as `esbuild --bundle --minify --platform=node` writes it. */
async function bundleProgram(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: empty },
    bundle: true,
    minify: true,
    write: false,
    platform: 'node',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

test('a bundled client delivers without any package', async () => {
  const server = await FakeServer.start();
  const folder = mkdtempSync(path.join(work, 'bundled-'));
  const options = `{ url: '${server.url}', token: 't', project: 'p', runner: { name: 'r' }, queueFolder: 'queue' }`;
  const program = `import { createClient } from 'barograph';
const client = createClient(${options});
client.session('s').turn({ usage: { inputTokens: 1 } });
client.close().then(({ delivered }) => console.log('delivered', delivered));`;
  try {
    writeFileSync(path.join(folder, 'program.cjs'), await bundleProgram(program));
    const { output } = await run(process.execPath, ['program.cjs'], folder);
    expect(output).toBe('delivered true\n');
    expect(server.items.map(({ type }) => type)).toEqual(['turn']);
  } finally {
    await server.stop();
  }
});

test('the import of the client creates no formatter, which would take 20 ms', async () => {
  const program = "globalThis.Intl = undefined; await import('barograph');";
  const { code, output } = await run(process.execPath, ['--input-type=module', '--eval', program], empty);
  expect([code, output]).toEqual([0, '']);
});

test('the client imports no package, and the command only packages of the manifest', () => {
  const dist = path.join(empty, 'node_modules', 'barograph', 'dist');
  expect(reachOf(path.join(dist, 'index.js')).packages).toEqual([]);
  const { packages } = reachOf(path.join(dist, 'cli.js'));
  // The bundled MCP SDK contains ajv, whose texts of generated code name files of ajv.
  const isText = (name: string) => /^ajv(-formats)?\/dist\//.test(name);
  expect(packages.filter((name) => !isText(name))).toEqual(['zod', 'zod/v4']);
});

test('the package contains the schemas and the protocol text', () => {
  const dist = path.join(empty, 'node_modules', 'barograph', 'dist');
  expect(readdirSync(path.join(dist, 'schema'))).toContain('item.schema.json');
  expect(readFileSync(path.join(dist, 'PROTOCOL.md'), 'utf8')).toMatch(/^# /);
});
