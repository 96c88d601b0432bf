/**
 * `npm run test:nodes`: the library on each major version of Node that it promises to work with. On each but the
 * one that runs this (its turn is the ordinary test run) the tests of the library run, and on each, and on the
 * oldest version allowed, every entry point of the built package loads and its command answers.
 *
 * A version that this machine cannot get is a skip with its reason. Results: test-results/nodes.json.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isMain } from './lib/is-main';
import { listFiles } from './lib/list-files';
import { obtainNode } from './lib/obtain-node';
import { projectFolder } from './lib/project-folder';
import { readVitestReport, type TestResult } from './lib/report';

const MAJORS = ['20', '22', '24'];
/** The floor of `engines`. Too old for the test runner: only what is shipped is loaded there. */
const OLDEST = '20.9.0';
const FOLDERS = ['runner/src', 'core/vectors'];
/** What tries the machine and not its Node: minutes of processes that are killed, late or starved on purpose. */
const LEFT_OUT = ['hook/hook-answer.test.ts', 'hook/hook-crash.test.ts', 'cli/watch-kill.test.ts'];

const runner = join(projectFolder, 'runner');
const reports = join(projectFolder, 'test-results');

function runTests(program: string, major: string): TestResult[] {
  const report = join(reports, `vitest-node-${major}.json`);
  rmSync(report, { force: true });
  const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [
    vitest,
    'run',
    '--project',
    'unit',
    ...FOLDERS.flatMap((folder) => listFiles(projectFolder, folder)).filter(isTest),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  // First in the PATH too: what a test starts as `node` is this one.
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` };
  spawnSync(program, args, { cwd: projectFolder, env, stdio: 'inherit' });
  if (!existsSync(report)) return [{ runner: 'nodes', test: 'the report', outcome: 'failed' }];
  return readVitestReport(JSON.parse(readFileSync(report, 'utf8')), projectFolder);
}

function isTest(file: string): boolean {
  return /(?<!\.db)\.test\.ts$/.test(file) && !LEFT_OUT.some((name) => file.endsWith(`/${name}`));
}

/** Loads each entry point of the package as an owner's program would, in a process of its own. */
function loadEntries(program: string): TestResult[] {
  const manifest = JSON.parse(readFileSync(join(runner, 'package.json'), 'utf8'));
  const entries = Object.keys(manifest.exports)
    .filter((path) => !path.includes('*'))
    .map((path) => path.replace(/^\./, manifest.name));
  const load = (name: string) =>
    `const all = await import(${JSON.stringify(name)}); if (Object.keys(all).length === 0) throw new Error('empty');`;
  return [
    ...entries.map((name) => ({
      test: `${name} loads and exports something`,
      args: ['--input-type=module', '--eval', load(name)],
    })),
    { test: 'the command shows its help', args: [join(runner, manifest.bin.barograph), '--help'] },
  ].map(({ test, args }): TestResult => {
    // Warnings count: an owner's program must not begin with one of ours.
    const { status, stderr } = spawnSync(program, ['--throw-deprecation', ...args], {
      cwd: runner,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production' },
    });
    const passed = status === 0 && stderr === '';
    if (!passed) process.stdout.write(`${test}: exit ${status}\n${stderr}\n`);
    return { runner: 'nodes', test, outcome: passed ? 'passed' : 'failed' };
  });
}

function checkOn(line: string): TestResult[] {
  const startedAt = Date.now();
  const isOwn = process.versions.node.split('.')[0] === line;
  const node = isOwn ? { program: process.execPath, version: process.versions.node } : obtainNode(line);
  const isHere = `Node ${line} > can be had for this machine`;
  if ('missing' in node) {
    process.stdout.write(`${node.missing}\n`);
    return [{ runner: 'nodes', test: isHere, outcome: 'skipped' }];
  }
  const results = [
    ...loadEntries(node.program),
    ...(isOwn || line === OLDEST ? [] : runTests(node.program, line)),
  ];
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(
    `Node ${node.version}: ${results.length} results, ${failed} failed, in ${seconds} s\n`,
  );
  return [
    { runner: 'nodes', test: isHere, outcome: 'passed' },
    // A skip has its reason from the ordinary run, where the same test is judged.
    ...results
      .filter(({ outcome }) => outcome !== 'skipped')
      .map(({ test, outcome }): TestResult => ({ runner: 'nodes', test: `Node ${line} > ${test}`, outcome })),
  ];
}

if (isMain(import.meta.url)) {
  mkdirSync(reports, { recursive: true });
  const results = [OLDEST, ...MAJORS].flatMap(checkOn);
  writeFileSync(join(reports, 'nodes.json'), JSON.stringify(results));
  for (const { test, outcome } of results)
    if (outcome === 'failed') process.stdout.write(`failed: ${test}\n`);
  process.exitCode = results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}
