/**
 * Seeds the bug of each patch in `bugs/` into a copy of the project. The test that the patch names must then fail.
 * The first line of a patch names the test: `Caught by: chaos FAULT`, or `Caught by: unit FILE` or `db FILE` for Vitest.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeTempFolder, removeFolder } from '../../e2e/support/temp-folder';
import { projectFolder } from '../lib/project-folder';

const folder = join(projectFolder, 'scripts', 'chaos', 'bugs');
const TIMEOUT_MS = 300_000;

export interface BugResult {
  bug: string;
  caughtBy: string;
  /** Empty: the bug was caught. */
  problem: string;
}

export const listBugs = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .sort();

export function catcherOf(bug: string): [kind: string, target: string] {
  const [, kind = '', target = ''] =
    /^Caught by: (chaos|unit|db) (\S+)$/m.exec(readFileSync(join(folder, bug), 'utf8')) ?? [];
  return [kind, target];
}

function git(args: readonly string[], cwd: string) {
  return spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

/** Whether a patch still applies to this project. An empty text, or git's reason. */
export function findPatchProblem(bug: string): string {
  const { status, stderr } = git(['apply', '--check', join(folder, bug)], projectFolder);
  return status === 0 ? '' : stderr.trim();
}

/** Copy the project's files, seed the bug, and run its test, which must fail. */
export function tryBug(bug: string): BugResult {
  const [kind, target] = catcherOf(bug);
  const result = (problem: string): BugResult => ({
    bug: bug.replace(/\.patch$/, ''),
    caughtBy: `${kind} ${target}`,
    problem,
  });
  const copy = makeTempFolder('bug');
  try {
    const { stdout } = git(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], projectFolder);
    for (const name of stdout.split('\0').filter((each) => /\.(tsx?|m?js|json|sql)$/.test(each))) {
      mkdirSync(dirname(join(copy, name)), { recursive: true });
      cpSync(join(projectFolder, name), join(copy, name));
    }
    for (const modules of ['node_modules', 'runner/node_modules']) {
      symlinkSync(join(projectFolder, modules), join(copy, modules));
    }
    const { status, stderr } = git(['apply', join(folder, bug)], copy);
    if (status !== 0) return result(`the patch no longer applies: ${stderr.trim()}`);
    const program = (name: string) => join(copy, 'node_modules', name);
    const args =
      kind === 'chaos'
        ? [program('tsx/dist/cli.mjs'), 'scripts/chaos/chaos.ts', '--only', target]
        : [program('vitest/vitest.mjs'), 'run', '--project', kind, target];
    const run = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', timeout: TIMEOUT_MS });
    if (run.status === 0) return result('the test passed');
    const report = join(copy, 'test-results', kind === 'chaos' ? 'chaos.json' : 'vitest.json');
    return result(hasFailedTest(report) ? '' : `the test did not run: ${run.stderr.slice(-500)}`);
  } finally {
    removeFolder(copy);
  }
}

/** A crash is not a failed test. */
function hasFailedTest(report: string): boolean {
  try {
    const results = JSON.parse(readFileSync(report, 'utf8')) as
      | { numFailedTests?: number }
      | { outcome: string }[];
    return Array.isArray(results)
      ? results.some(({ outcome }) => outcome === 'failed')
      : (results.numFailedTests ?? 0) > 0;
  } catch {
    return false;
  }
}
