/**
 * `npm run test:nodes` tries the library on every supported Node. On each major version, and on the oldest supported
 * version, every entry point of the built package loads, the command prints its help, and each example reports a whole
 * session. The tests of the library also run on the first and the last major version, except on the Node of the
 * ordinary test run.
 *
 * A version that is not available for this machine counts as skipped. Results: test-results/nodes.json.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { listFiles } from './lib/list-files';
import { obtainNode } from './lib/obtain-node';
import { projectFolder } from './lib/project-folder';
import { readVitestReport, type TestResult } from './lib/report';
import { tryPackage } from './lib/try-package';

const MAJORS = ['20', '22', '24'];
const ENDS = ['20', '24'];
/** The lowest version in `engines`. It is too old for the test runner, so only the built package is tried. */
const OLDEST = '20.9.0';
const FOLDERS = ['runner/src', 'core/vectors'];
/** These tests start, kill or delay many processes. They take minutes and depend on the machine, not on Node. */
const LEFT_OUT =
  /\/(archive-names|hook-answer|hook-report|hook-rights|hook-upload|status-line|watch-kill)\.test\.ts$/;

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
    // The browser stories run at the same time.
    '--maxWorkers=1',
    `--outputFile.json=${report}`,
  ];
  // This Node comes first in the PATH too, for processes that a test starts as `node`.
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` };
  spawnSync(program, args, { cwd: projectFolder, env, stdio: 'inherit' });
  if (!existsSync(report)) return [{ runner: 'nodes', test: 'the report', outcome: 'failed' }];
  return readVitestReport(JSON.parse(readFileSync(report, 'utf8')), projectFolder);
}

function isTest(file: string): boolean {
  return /(?<!\.db)\.test\.ts$/.test(file) && !LEFT_OUT.test(file);
}

async function checkOn(line: string): Promise<TestResult[]> {
  const startedAt = Date.now();
  const isOwn = process.versions.node.split('.')[0] === line;
  const node = isOwn ? { program: process.execPath, version: process.versions.node } : obtainNode(line);
  const isHere = `Node ${line} > is available for this machine`;
  if ('missing' in node) {
    process.stdout.write(`${node.missing}\n`);
    return [{ runner: 'nodes', test: isHere, outcome: 'skipped' }];
  }
  const results = [
    ...(await tryPackage(node.program)),
    ...(!isOwn && ENDS.includes(line) ? runTests(node.program, line) : []),
  ];
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(
    `Node ${node.version}: ${results.length} results, ${failed} failed, in ${seconds} s\n`,
  );
  return [
    { runner: 'nodes', test: isHere, outcome: 'passed' },
    // The ordinary run has the same tests, and checks their skips.
    ...results
      .filter(({ outcome }) => outcome !== 'skipped')
      .map(({ test, outcome }): TestResult => ({ runner: 'nodes', test: `Node ${line} > ${test}`, outcome })),
  ];
}

mkdirSync(reports, { recursive: true });
const results: TestResult[] = [];
for (const line of [OLDEST, ...MAJORS]) results.push(...(await checkOn(line)));
writeFileSync(join(reports, 'nodes.json'), JSON.stringify(results));
for (const { test, outcome } of results) if (outcome === 'failed') process.stdout.write(`failed: ${test}\n`);
process.exitCode = results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
