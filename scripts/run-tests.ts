/**
 * Everything that is checked, one after the other, none stopped by another's failure: `npm test`. With
 * `--without-e2e` (`npm run check`) all but the browser stories.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './lib/project-folder';
import type { TestResult } from './lib/report';

const modules = join(projectFolder, 'node_modules');
const reports = join(projectFolder, 'test-results');
const tsx = (script: string) => ['tsx/dist/cli.mjs', join(projectFolder, 'scripts', script)];

/** Biome colours each letter by itself, which a log file shows. */
const colors = process.stdout.isTTY ? '--colors=force' : '--colors=off';

/** Name → program within node_modules and its arguments. Each is one result of the runner `checks`. */
const checks: Record<string, string[]> = {
  'The lock file holds the binaries of every platform': tsx('check-lockfile.ts'),
  'Format and lint rules hold': ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', colors],
  'Types hold': ['typescript/bin/tsc', '-p', 'tsconfig.check.json'],
  'Migrations say what the schema says': tsx('check-migrations.ts'),
  'Links in documents lead somewhere': tsx('check-links.ts'),
  'Each requirement is shown by a test': tsx('check-seeds.ts'),
  'The house keeps its budget': [...tsx('house/house.ts'), '--check'],
  'The library’s pages say what its docstrings say': [...tsx('api-docs/write-api-docs.ts'), '--check'],
  'The build succeeds': [...tsx('build.ts'), '--if-needed'],
};

function run(title: string, [program = '', ...args]: string[]): boolean {
  const startedAt = Date.now();
  process.stdout.write(`\n── ${title}\n`);
  const { status } = spawnSync(process.execPath, [join(modules, program), ...args], {
    cwd: projectFolder,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: 'inherit',
  });
  process.stdout.write(
    `   ${status === 0 ? 'ok' : 'FAILED'} in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s\n`,
  );
  return status === 0;
}

function main(): boolean {
  const withE2e = !process.argv.includes('--without-e2e');
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });

  const results = Object.entries(checks).map(
    ([test, command]): TestResult => ({
      runner: 'checks',
      test,
      outcome: run(test, command) ? 'passed' : 'failed',
    }),
  );
  writeFileSync(join(reports, 'checks.json'), JSON.stringify(results));

  // Their results are in their reports; the exit codes say no more.
  run('Unit and database tests', ['vitest/vitest.mjs', 'run']);
  run('The library on each Node that it promises', tsx('test-on-nodes.ts'));
  if (withE2e) run('Stories in a browser', tsx('run-e2e.ts'));

  const expected = withE2e ? 'checks,vitest,nodes,playwright' : 'checks,vitest,nodes';
  return run('All together', [...tsx('sum-reports.ts'), `--expect=${expected}`]);
}

process.exitCode = main() ? 0 : 1;
