/**
 * `npm run mutation [-- FILE_OR_FOLDER …]`: breaks each rule of the accounting core, one at a time, and expects a
 * test to notice. A survivor that `explained.json` does not explain fails the command, and so does an
 * explanation of a mutant that no longer survives. What was measured goes to `measured.json` and is shown in
 * docs/mutation.md.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { finish } from '../lib/finish';
import { projectFolder } from '../lib/project-folder';
import { type Explanation, judgeSurvivors, type Measured, writeMutationPage } from './mutation-page';
import { filesToMutate } from './scope';
import { readReport, type StrykerReport } from './survivors';

const here = join(projectFolder, 'scripts', 'mutation');
const packages = join(here, 'node_modules', '@stryker-mutator');

function readJson<T>(name: string, otherwise: T): T {
  const path = join(here, name);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : otherwise;
}

function run(program: string, args: string[], cwd: string): void {
  const { status, error } = spawnSync(program, args, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args[0]} failed${error ? `: ${error.message}` : ''}`);
}

function mutate(files: string[]): StrykerReport {
  const work = mkdtempSync(join(tmpdir(), 'barograph-mutation-'));
  const report = join(work, 'report.json');
  const config = join(work, 'stryker.config.json');
  writeFileSync(
    config,
    JSON.stringify({
      testRunner: 'vitest',
      plugins: [join(packages, 'vitest-runner', 'dist', 'src', 'index.js')],
      mutate: files,
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
      concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
      reporters: ['json', 'progress-append-only'],
      jsonReporter: { fileName: report },
      allowEmpty: true,
    }),
  );
  try {
    run(process.execPath, [join(packages, 'core', 'bin', 'stryker.js'), 'run', config], projectFolder);
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function main(): void {
  const files = filesToMutate(projectFolder, process.argv.slice(2));
  setPriority(constants.priority.PRIORITY_LOW);
  if (!existsSync(packages)) run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], here);

  const fresh = readReport(mutate(files));
  const inScope = filesToMutate(projectFolder, []);
  const measured: Measured = Object.fromEntries(
    Object.entries({ ...readJson<Measured>('measured.json', {}), ...fresh })
      .filter(([file]) => inScope.includes(file) && (file in fresh || !files.includes(file)))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeFileSync(join(here, 'measured.json'), `${JSON.stringify(measured, null, 2)}\n`);
  const explanations = readJson<Explanation[]>('explained.json', []);
  writeMutationPage(join(projectFolder, 'docs', 'mutation.md'), measured, explanations);
  finish('mutation', judgeSurvivors(measured, explanations));
}

main();
