/**
 * `npm run mutation [-- FILE_OR_FOLDER …]`: breaks each rule of the accounting core, one at a time, and expects a
 * test to notice. A survivor that `explained.json` does not explain fails the command, and so do an explanation of a
 * mutant that no longer survives and a file that no test runs. What was measured goes to `measured.json` and is shown in
 * docs/mutation.md.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { finish } from '../lib/finish';
import { projectFolder } from '../lib/project-folder';
import { describeMutation, type Explanation, judgeSurvivors, type Measured } from './mutation-page';
import { filesToMutate } from './scope';
import { readReport, type StrykerReport } from './survivors';

const here = join(projectFolder, 'scripts', 'mutation');
const packages = join(here, 'node_modules', '@stryker-mutator');

function readJson<T>(name: string, otherwise: T): T {
  const path = join(here, name);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : otherwise;
}

function run(program: string, args: string[], cwd: string, env: Record<string, string> = {}): void {
  const { status, signal, error } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${error?.message ?? signal ?? status}`);
}

function mutate(file: string, tests: string): StrykerReport {
  const work = mkdtempSync(join(tmpdir(), 'barograph-mutation-'));
  const report = join(work, 'report.json');
  const config = join(work, 'stryker.config.json');
  writeFileSync(
    config,
    JSON.stringify({
      testRunner: 'vitest',
      plugins: [join(packages, 'vitest-runner', 'dist', 'src', 'index.js')],
      mutate: [file],
      // What the tests of the scope need, copied aside: the checkout is never changed.
      ignorePatterns: [
        '*',
        '!core',
        '!core/**',
        '!runner',
        '!runner/**',
        'runner/dist',
        '!scripts',
        '!scripts/mutation',
        '!scripts/mutation/*.ts',
        '!package.json',
        '!tsconfig.json',
      ],
      tempDirName: '.mutation',
      // TypeScript 7 has no interface that Stryker could rewrite the sandbox's file with; the tests need none.
      tsconfigFile: 'none.json',
      disableTypeChecks: false,
      vitest: { configFile: 'scripts/mutation/vitest.config.ts' },
      coverageAnalysis: 'perTest',
      // A busy machine is no endless loop.
      timeoutMS: 30_000,
      concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
      reporters: ['json', 'progress-append-only'],
      jsonReporter: { fileName: report },
      allowEmpty: true,
    }),
  );
  try {
    const stryker = join(packages, 'core', 'bin', 'stryker.js');
    run(process.execPath, [stryker, 'run', config], projectFolder, { MUTATION_TESTS: tests });
    // There is none where no test runs what was broken: a finding in the end.
    return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : { files: {} };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function main(): void {
  const groups = filesToMutate(projectFolder, process.argv.slice(2));
  const inScope = filesToMutate(projectFolder, []).flatMap(({ files }) => files);
  setPriority(constants.priority.PRIORITY_LOW);
  if (!existsSync(packages)) run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], here);

  const explanations = readJson<Explanation[]>('explained.json', []);
  const known = readJson<Measured>('measured.json', {});
  const measured = new Map(Object.entries(known).filter(([file]) => inScope.includes(file)));
  // Each file's result is saved at once, so that an interrupted run keeps it.
  for (const { files, tests } of groups) {
    for (const file of files) {
      const result = readReport(mutate(file, tests))[file];
      if (result === undefined) measured.delete(file);
      else measured.set(file, result);
      const sorted = Object.fromEntries([...measured].sort(([a], [b]) => (a < b ? -1 : 1)));
      writeFileSync(join(here, 'measured.json'), `${JSON.stringify(sorted, null, 2)}\n`);
      writeFileSync(join(projectFolder, 'docs', 'mutation.md'), describeMutation(sorted, explanations));
    }
  }
  finish('mutation', judgeSurvivors(inScope, Object.fromEntries(measured), explanations));
}

main();
