/**
 * Adds up the JSON reports of all runners. The last line is `N passed, N failed, N skipped`; a report that is
 * missing, and a skip without an allowed reason, are failures.
 *
 * `--expect checks,vitest,nodes,playwright` names the runners that must have reported.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from './lib/project-folder';
import {
  type AllowedSkip,
  countOutcomes,
  judgeSkips,
  readPlaywrightReport,
  readVitestReport,
  type TestResult,
} from './lib/report';

const readers: Record<string, (report: never) => TestResult[]> = {
  checks: (report: TestResult[]) => report,
  nodes: (report: TestResult[]) => report,
  vitest: (report: Parameters<typeof readVitestReport>[0]) => readVitestReport(report, projectFolder),
  unprivileged: (report: Parameters<typeof readVitestReport>[0]) =>
    readVitestReport(report, projectFolder).map((result) => ({ ...result, runner: 'unprivileged' })),
  playwright: (report: Parameters<typeof readPlaywrightReport>[0]) => readPlaywrightReport(report),
};

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(projectFolder, path), 'utf8'));
}

function readReport(runner: string): TestResult[] {
  const path = `test-results/${runner}.json`;
  try {
    const read = readers[runner];
    if (!read || !existsSync(join(projectFolder, path))) throw new Error('there is no report');
    const results = read(readJson(path) as never);
    if (results.length === 0) throw new Error('the report names no test');
    return results;
  } catch (error) {
    process.stdout.write(`${runner}: ${error instanceof Error ? error.message : String(error)}\n`);
    return [{ runner, test: 'the report', outcome: 'failed' }];
  }
}

const { values } = parseArgs({
  options: { expect: { type: 'string', default: 'checks,vitest,nodes,playwright' } },
});
const runners = values.expect.split(',');
const results = runners.flatMap(readReport);
const skips = (readJson('.ci/allowed-skips.json') as AllowedSkip[]).filter(({ runner }) =>
  runners.includes(runner),
);
// The unprivileged run repeats tests of the ordinary one: the same skips are allowed.
const problems = judgeSkips(
  results.map((result) => (result.runner === 'unprivileged' ? { ...result, runner: 'vitest' } : result)),
  skips,
);

for (const { outcome, runner, test, reason } of results) {
  if (outcome !== 'failed') continue;
  process.stdout.write(`failed: ${runner}: ${test}\n`);
  // Repeated here because a long log is read from its end.
  if (reason !== undefined) process.stdout.write(`${reason.replace(/^/gm, '    ')}\n`);
}
for (const problem of problems) process.stdout.write(`${problem}\n`);
for (const runner of runners) {
  const own = countOutcomes(results.filter((result) => result.runner === runner));
  process.stdout.write(`${runner}: ${own.passed} passed, ${own.failed} failed, ${own.skipped} skipped\n`);
}
const sum = countOutcomes(results);
process.stdout.write(
  `${sum.passed} passed, ${sum.failed + problems.length} failed, ${sum.skipped} skipped\n`,
);
process.exitCode = sum.failed + problems.length > 0 ? 1 : 0;
