/**
 * `npm test` runs every check and test whose failure shows a fault of this repository: nothing from outside the lock file
 * except the machine's browser and Python. `npm run check` (`--without-e2e`) leaves out the browser stories.
 * `npm run test:full` (`--full`) also runs, with pinned versions, other Nodes, real SDKs and clients, programs of the
 * system, other accounts, faults under load and the comparison of pictures, and a random seed for property tests.
 *
 * A failure does not stop the rest. Failed test files run once more, after everything else and in a fresh process; a
 * test that then passes is listed as unstable. A clean tree that passed has its commit in test-results/passed-commit.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { findDeadLinks } from './check-links';
import { findMissingOptionals } from './check-lockfile';
import { findDrift } from './check-migrations';
import { projectFolder } from './lib/project-folder';
import { listFailedFiles, type TestResult } from './lib/report';
import { sumReports } from './lib/sum-reports';
import { readUnhandledErrors } from './lib/unhandled-errors';

const reports = join(projectFolder, 'test-results');
const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const tsx = (script: string) => ['tsx/dist/cli.mjs', join(projectFolder, 'scripts', script)];

/** Checks by title. Each check, and each command below, is one result of the runner `checks`. */
const findings: Record<string, () => string[]> = {
  'The lock file has the binaries of every platform': () =>
    findMissingOptionals(JSON.parse(read('package-lock.json'))),
  'Migrations match the schema': findDrift,
  'Links in documents have targets': () => findDeadLinks(projectFolder),
};

/** Commands by title: a program within node_modules and its arguments. */
const commands: Record<string, string[]> = {
  'Format and lint rules pass': ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off'],
  'Types are correct': ['typescript/bin/tsc', '-p', 'tsconfig.check.json'],
  'Imports, exports and words follow the rules': [...tsx('house/house.ts'), '--check'],
  'The library’s pages match its docstrings': [...tsx('api-docs/write-api-docs.ts'), '--check'],
};

/** Run a program. Show its output at once, or in one piece `atEnd`. */
async function run(title: string, [program = '', ...args]: string[], atEnd = false): Promise<boolean> {
  const startedAt = Date.now();
  const head = `\n── ${title}\n`;
  if (!atEnd) process.stdout.write(head);
  const output = atEnd ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, [join(projectFolder, 'node_modules', program), ...args], {
    cwd: projectFolder,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', output, output],
  });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => printed.push(part));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (atEnd) process.stdout.write(head + Buffer.concat(printed).toString());
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`   ${code === 0 ? 'ok' : 'FAILED'} in ${seconds} s: ${title}\n`);
  return code === 0;
}

async function runChecks(): Promise<void> {
  const results: TestResult[] = [];
  const add = (test: string, isOk: boolean) =>
    void results.push({ runner: 'checks', test, outcome: isOk ? 'passed' : 'failed' });
  const build = 'The build succeeds';
  const building = run(build, [...tsx('build.ts'), '--if-needed'], true);
  for (const [title, find] of Object.entries(findings)) {
    const found = find();
    process.stdout.write(`\n── ${title}\n${found.map((line) => `   ${line}\n`).join('')}`);
    add(title, found.length === 0);
  }
  for (const [title, command] of Object.entries(commands)) add(title, await run(title, command));
  add(build, await building);
  writeFileSync(join(reports, 'checks.json'), JSON.stringify(results));
}

const VITEST = 'vitest/vitest.mjs';
const unitAndDb = ['--project', 'unit', '--project', 'db'];

/** Run the failed files again, one after the other in a process of their own. */
async function repeatFailures(): Promise<void> {
  const path = join(reports, 'vitest.json');
  if (!existsSync(path)) return;
  const outside = readUnhandledErrors().map(({ file }) => file);
  // Without its file, an error cannot be repeated, so it fails the run.
  if (outside.includes(null)) return;
  const failed = [...new Set([...listFailedFiles(JSON.parse(readFileSync(path, 'utf8'))), ...outside])];
  if (failed.length === 0) return;
  const files = failed.map((file) => relative(projectFolder, file ?? ''));
  const alone = ['--maxWorkers=1', '--reporter=default', '--reporter=json'];
  const report = `--outputFile.json=${join(reports, 'vitest-again.json')}`;
  await run('Failed files, alone', [VITEST, 'run', ...unitAndDb, ...files, ...alone, report]);
}

async function runOutside(): Promise<void> {
  const one = (name: string) => [
    ...['run', '--project', name, '--reporter=default', '--reporter=json'],
    `--outputFile.json=${join(reports, `${name}.json`)}`,
  ];
  await run('Tests with programs of the system', [VITEST, ...one('outside')]);
  await run('Tests with real SDKs', [VITEST, ...one('sdks')]);
  await run('The library on each supported Node', tsx('test-on-nodes.ts'));
  await run('Skippable tests as another account', tsx('run-unprivileged.ts'));
  await run('Faults under load', tsx('chaos/chaos.ts'));
  await run('Real clients', tsx('../e2e/clients/run.ts'));
}

/** The tested commit; null if the tree differs from it, or this copy has no history. */
function readCommit(): string | null {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: projectFolder, encoding: 'utf8' });
  const { status, stdout } = git('status', '--porcelain');
  return status === 0 && stdout === '' ? git('rev-parse', 'HEAD').stdout.trim() : null;
}

async function main(): Promise<boolean> {
  const isFull = process.argv.includes('--full');
  const withE2e = !process.argv.includes('--without-e2e');
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const commit = readCommit();
  if (isFull) {
    process.env.TEST_SEED ??= String(randomInt(2 ** 31));
    process.stdout.write(
      `Seed of the property tests: ${process.env.TEST_SEED}. Repeat: TEST_SEED=${process.env.TEST_SEED} npx vitest run FILE\n`,
    );
  }
  await runChecks();
  // The reports hold the results of the next programs, so exit codes are not needed.
  await run('Unit and database tests', [VITEST, 'run', ...unitAndDb]);
  if (withE2e)
    await run('Stories in a browser', [...tsx('run-e2e.ts'), ...(isFull ? [] : ['--project=stories'])]);
  if (isFull) await runOutside();
  await repeatFailures();
  process.stdout.write('\n── Sum\n');
  const runners = [
    ...['checks', 'vitest'],
    ...(withE2e ? ['playwright'] : []),
    ...(isFull ? ['outside', 'sdks', 'nodes', 'chaos', 'clients'] : []),
    ...(isFull && existsSync(join(reports, 'unprivileged.json')) ? ['unprivileged'] : []),
  ];
  const isPassed = sumReports(runners, isFull);
  if (isPassed && withE2e && commit !== null && commit === readCommit())
    writeFileSync(join(reports, 'passed-commit'), `${commit}\n`);
  return isPassed;
}

process.exitCode = (await main()) ? 0 : 1;
