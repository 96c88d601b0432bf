/**
 * `npm test` runs every check and test. `npm run check` (`--without-e2e`) leaves out the browser stories. A failure
 * does not stop the rest. Short jobs run during the build. Tests on other Nodes and accounts and with real clients run
 * during the stories, which leave a core partly idle.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findDeadLinks } from './check-links';
import { findMissingOptionals } from './check-lockfile';
import { findDrift } from './check-migrations';
import { findUnshown } from './check-seeds';
import { projectFolder } from './lib/project-folder';
import type { TestResult } from './lib/report';
import { sumReports } from './lib/sum-reports';

const reports = join(projectFolder, 'test-results');
const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const tsx = (script: string) => ['tsx/dist/cli.mjs', join(projectFolder, 'scripts', script)];

/** Checks by title. Each check, and each command below, is one result of the runner `checks`. */
const findings: Record<string, () => string[]> = {
  'The lock file has the binaries of every platform': () =>
    findMissingOptionals(JSON.parse(read('package-lock.json'))),
  'Migrations match the schema': findDrift,
  'Links in documents have targets': () => findDeadLinks(projectFolder),
  'Each requirement is shown by a test': () => findUnshown(read('docs/seeds.md'), projectFolder),
};

/** Commands by title: a program within node_modules and its arguments. */
const commands: Record<string, string[]> = {
  'Format and lint rules pass': ['@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off'],
  'Types are correct': ['typescript/bin/tsc', '-p', 'tsconfig.check.json'],
  'Lines and findings stay within their budgets': [...tsx('house/house.ts'), '--check'],
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

async function main(): Promise<boolean> {
  const withE2e = !process.argv.includes('--without-e2e');
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  await runChecks();
  // The reports hold the results of the next programs, so exit codes are not needed.
  await run('Unit and database tests', ['vitest/vitest.mjs', 'run', '--project', 'unit', '--project', 'db']);
  const stories = withE2e && run('Stories in a browser', tsx('run-e2e.ts'));
  await run('The library on each supported Node', tsx('test-on-nodes.ts'), true);
  const isRepeated = await run('Skippable tests as another account', tsx('run-unprivileged.ts'), true);
  await run('Faults under load, short form', tsx('chaos/chaos.ts'), true);
  await run('Real clients, short form', [...tsx('../e2e/clients/run.ts'), '--short'], true);
  await stories;
  process.stdout.write('\n── Sum\n');
  return sumReports([
    ...['checks', 'vitest', 'nodes', 'clients', 'chaos'],
    ...(withE2e ? ['playwright'] : []),
    ...(isRepeated && !existsSync(join(reports, 'unprivileged.json')) ? [] : ['unprivileged']),
  ]);
}

process.exitCode = (await main()) ? 0 : 1;
