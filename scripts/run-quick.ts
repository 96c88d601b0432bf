/**
 * `npm run quick`, for use between two edits: format and lint of the changed files, types, and the tests nearest to
 * them, up to the first failure. Changed means different from HEAD. It ends within 90 s, and lists what it left out.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listFiles } from './lib/list-files';
import { projectFolder } from './lib/project-folder';

const LIMIT_MS = 85_000;
const startedAt = Date.now();
const leftOut = ['browser stories', 'the build'];

const git = (...args: string[]): string[] => {
  const { stdout } = spawnSync('git', args, { cwd: projectFolder, encoding: 'utf8' });
  return stdout.split('\n').filter((path) => path !== '' && existsSync(join(projectFolder, path)));
};

/** Returns whether the program of node_modules succeeded; one that does not end in time is stopped and left out. */
function run(title: string, program: string, args: string[]): boolean {
  const timeout = LIMIT_MS - (Date.now() - startedAt);
  if (timeout <= 0) {
    leftOut.push(title);
    return true;
  }
  process.stdout.write(`\n── ${title}\n`);
  const { status, error } = spawnSync(
    process.execPath,
    [join(projectFolder, 'node_modules', program), ...args],
    {
      cwd: projectFolder,
      stdio: 'inherit',
      timeout,
    },
  );
  const isLate = (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
  if (isLate) leftOut.push(`the rest of: ${title}`);
  return isLate || status === 0;
}

const isTest = (path: string) =>
  /\.test\.tsx?$/.test(path) && !/\.(sdk|outside)\.test\.ts$|^scripts\/mutation\//.test(path);

/** Reads the fixtures of every transcript reader. */
const READER_TEST = 'runner/src/transcripts/agent-fixtures.test.ts';

/** Tests named after a file, else all tests of its folder. */
function findNearest(path: string): string[] {
  if (/\.test\.tsx?$/.test(path)) return isTest(path) ? [path] : [];
  const beside = listFiles(projectFolder, dirname(path)).filter(
    (test) => isTest(test) && dirname(test) === dirname(path),
  );
  const stem = path.replace(/\.tsx?$/, '');
  const own = beside.filter((test) => test.startsWith(`${stem}.`));
  if (own.length > 0) return own;
  return path.startsWith('core/agents/') ? [...beside, READER_TEST] : beside;
}

const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
const scripts = changed.filter((path) => /\.tsx?$/.test(path));
const tests = [...new Set(scripts.flatMap(findNearest))].sort();
const files = changed.filter((path) => /\.(tsx?|mjs|css|json)$/.test(path));

const results = [
  files.length === 0 ||
    run('Format and lint of the changed files', '@biomejs/biome/bin/biome', ['check', ...files]),
  run('Types', 'typescript/bin/tsc', ['-p', 'tsconfig.check.json']),
  tests.length === 0 ||
    run(`${tests.length} nearest test files`, 'vitest/vitest.mjs', ['run', '--bail=1', ...tests]),
];
leftOut.push('tests of other folders');
const isPassed = results.every(Boolean);
process.stdout.write(
  `\n${isPassed ? 'Passed' : 'Failed'} in ${Math.round((Date.now() - startedAt) / 1_000)} s. Left out: ${leftOut.join(', ')}.\n`,
);
process.exitCode = isPassed ? 0 : 1;
