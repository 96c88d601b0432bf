/**
 * `npm run test:nodes` tries the library on pinned versions of every supported Node: every entry point of the built
 * package loads, the command prints its help, and each example reports a whole session. The tests of the library also
 * run, except on the oldest version and on the Node of the ordinary test run.
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

/** The lowest version in `engines`. It is too old for the test runner, so only the built package is tried. */
const OLDEST = '20.9.0';
const NEWER = ['20.20.2', '22.23.5', '24.22.3', '26.12.1'];
const FOLDERS = ['runner/src', 'core/vectors'];
/** These tests start, kill or delay many processes. They take minutes and depend on the machine, not on Node. */
const LEFT_OUT =
  /\/(archive-names|hook-answer|hook-report|hook-rights|hook-upload|status-line|watch-kill)\.test\.ts$/;

const reports = join(projectFolder, 'test-results');

function runTests(program: string, version: string): TestResult[] {
  const report = join(reports, `vitest-node-${version}.json`);
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
  // This Node comes first in the PATH too, for processes that a test starts as `node`.
  const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` };
  spawnSync(program, args, { cwd: projectFolder, env, stdio: 'inherit' });
  if (!existsSync(report)) return [{ runner: 'nodes', test: 'the report', outcome: 'failed' }];
  return readVitestReport(JSON.parse(readFileSync(report, 'utf8')), projectFolder);
}

function isTest(file: string): boolean {
  return /(?<!\.db)\.test\.ts$/.test(file) && !LEFT_OUT.test(file);
}

async function checkOn(version: string): Promise<TestResult[]> {
  const startedAt = Date.now();
  const isOwn = process.versions.node === version;
  const node = isOwn ? { program: process.execPath, version } : obtainNode(version);
  const isHere = `Node ${version} > is available for this machine`;
  if ('missing' in node) {
    process.stdout.write(`${node.missing}\n`);
    return [{ runner: 'nodes', test: isHere, outcome: 'skipped' }];
  }
  const results = [
    ...(await tryPackage(node.program)),
    ...(isOwn || version === OLDEST ? [] : runTests(node.program, version)),
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
      .map(
        ({ test, outcome }): TestResult => ({ runner: 'nodes', test: `Node ${version} > ${test}`, outcome }),
      ),
  ];
}

mkdirSync(reports, { recursive: true });
const results: TestResult[] = [];
for (const version of [OLDEST, ...NEWER]) results.push(...(await checkOn(version)));
writeFileSync(join(reports, 'nodes.json'), JSON.stringify(results));
for (const { test, outcome } of results) if (outcome === 'failed') process.stdout.write(`failed: ${test}\n`);
process.exitCode = results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
