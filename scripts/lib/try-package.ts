/** Tries the built package on one Node, in separate processes. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { FakeServer } from '../../runner/src/client/testing/fake-server';
import { projectFolder } from './project-folder';
import type { TestResult } from './report';

const runner = join(projectFolder, 'runner');
/** Each example is a complete agent that prints a sentence when the server has stored everything. */
const EXAMPLES = [
  'report-a-session',
  'context-usage',
  'restart-loop',
  'precompact-archive',
  'openai-snapshots',
  'context-tracker',
];

interface Trial {
  test: string;
  args: string[];
  says?: string;
}

/** Load every entry point, run the command, and run every example against a fake server. */
export async function tryPackage(program: string): Promise<TestResult[]> {
  const manifest = JSON.parse(readFileSync(join(runner, 'package.json'), 'utf8'));
  const entries = Object.keys(manifest.exports)
    .filter((path) => !path.includes('*'))
    .map((path) => path.replace(/^\./, manifest.name));
  const load = (name: string) =>
    `const all = await import(${JSON.stringify(name)}); if (Object.keys(all).length === 0) throw new Error('empty');`;
  const trials: Trial[] = [
    ...entries.map((name) => ({
      test: `${name} loads and exports something`,
      args: ['--input-type=module', '--eval', load(name)],
    })),
    { test: 'the command shows its help', args: [join(runner, manifest.bin.barograph), '--help'] },
    ...EXAMPLES.map((name) => ({
      test: `the example ${name} reports its session`,
      args: [join(runner, 'examples', `${name}.mjs`)],
      says: 'Everything was stored.',
    })),
  ];
  const results: TestResult[] = [];
  for (const trial of trials) results.push(await tryOne(program, trial));
  return results;
}

async function tryOne(program: string, { test, args, says = '' }: Trial): Promise<TestResult> {
  const home = mkdtempSync(join(tmpdir(), 'barograph-node-'));
  const server = await FakeServer.start();
  try {
    // This Node comes first in the PATH too, for processes that it starts as `node`. A warning is a failure.
    const PATH = `${dirname(program)}${delimiter}${process.env.PATH ?? ''}`;
    const target = { BAROGRAPH_URL: server.url, BAROGRAPH_TOKEN: 'bg_test' };
    const child = spawn(program, ['--throw-deprecation', ...args], {
      cwd: runner,
      env: { PATH, NODE_ENV: 'production', HOME: home, TMPDIR: home, ...target },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    let complained = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const passed = code === 0 && complained === '' && printed.includes(says);
    if (!passed) process.stdout.write(`${test}: exit ${code}\n${says === '' ? '' : printed}${complained}\n`);
    return { runner: 'nodes', test, outcome: passed ? 'passed' : 'failed' };
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
