import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from './project-folder';
import {
  type AllowedSkip,
  countOutcomes,
  judgeSkips,
  mergeSecondRun,
  readPlaywrightReport,
  readVitestReport,
  type TestResult,
  THE_RUN_ITSELF,
} from './report';

const readJson = (path: string) => JSON.parse(readFileSync(join(projectFolder, path), 'utf8'));

const readers: Record<string, (report: never) => TestResult[]> = {
  checks: (report: TestResult[]) => report,
  nodes: (report: TestResult[]) => report,
  clients: (report: TestResult[]) => report,
  chaos: (report: TestResult[]) => report,
  vitest: readBothRuns,
  // Repeats tests of `vitest`, so the same skips are allowed.
  unprivileged: (report: Parameters<typeof readVitestReport>[0]) => readVitestReport(report, projectFolder),
  outside: (report: Parameters<typeof readVitestReport>[0]) => named('outside', report),
  sdks: (report: Parameters<typeof readVitestReport>[0]) => named('sdks', report),
  playwright: readPlaywrightReport,
};

/** The results of a Vitest project that runs apart. */
const named = (runner: string, report: Parameters<typeof readVitestReport>[0]) =>
  readVitestReport(report, projectFolder).map((result) => ({ ...result, runner }));

/** The first run, in which the results of vitest-again.json replace those of the files that failed. */
function readBothRuns(report: Parameters<typeof readVitestReport>[0]): TestResult[] {
  const first = readVitestReport(report, projectFolder);
  const path = 'test-results/vitest-again.json';
  if (!existsSync(join(projectFolder, path))) return first;
  const isRun = ({ test }: TestResult) => test === THE_RUN_ITSELF;
  const second = readVitestReport(readJson(path), projectFolder);
  return mergeSecondRun(second.some(isRun) ? first : first.filter((result) => !isRun(result)), second);
}

function readReport(runner: string): TestResult[] {
  const path = `test-results/${runner}.json`;
  const failed = (test: string): TestResult[] => [{ runner, test, outcome: 'failed' }];
  if (!existsSync(join(projectFolder, path))) return failed('there is no report');
  const results = readers[runner]?.(readJson(path) as never) ?? [];
  return results.length === 0 ? failed('the report names no test') : results;
}

/**
 * Add up the reports of these runners. Prints failures, unstable tests and counts, also to test-results/sum.txt; the last
 * line is `N passed, N failed, N skipped`. A missing report and a skip without an allowed reason count as failures.
 * Unstable tests, with their first failure, are also in test-results/unstable.txt.
 * @param areAll whether the runners ran all of their tests
 * @returns whether nothing failed
 */
export function sumReports(runners: readonly string[], areAll: boolean): boolean {
  const reports = runners.map((runner) => ({ runner, results: readReport(runner) }));
  const results = reports.flatMap((report) => report.results);
  const allowed: AllowedSkip[] = readJson('.ci/allowed-skips.json');
  const problems = judgeSkips(
    results,
    allowed.filter(({ runner }) => runners.includes(runner)),
    areAll,
  );
  const lines = reports.flatMap(({ runner, results: own }) =>
    own.flatMap(({ outcome, test, reason }) => {
      if (outcome !== 'failed') return [];
      // Repeats the reason: a reader of a long log looks at its end first.
      return [`failed: ${runner}: ${test}`, ...(reason === undefined ? [] : [reason.replace(/^/gm, '    ')])];
    }),
  );
  lines.push(...problems);
  const unstable = results
    .filter(({ isUnstable }) => isUnstable)
    .map(({ runner, test }) => `${runner}: ${test}`);
  for (const { runner, results: own } of reports) lines.push(`${runner}: ${sentence(own)}`);
  if (unstable.length > 0)
    lines.push('unstable (failed, then passed alone):', ...unstable.map((line) => `    ${line}`));
  lines.push(sentence(results, problems.length));
  const text = lines.join('\n');
  process.stdout.write(`${text}\n`);
  writeFileSync(join(projectFolder, 'test-results/sum.txt'), `${text}\n`);
  writeFileSync(
    join(projectFolder, 'test-results/unstable.txt'),
    results
      .filter(({ isUnstable }) => isUnstable)
      .map(({ runner, test, reason = '' }) => `${runner}: ${test}\n${reason.replace(/^/gm, '    ')}\n`)
      .join(''),
  );
  return problems.length === 0 && results.every(({ outcome }) => outcome !== 'failed');
}

function sentence(results: readonly TestResult[], problems = 0): string {
  const { passed, failed, skipped } = countOutcomes(results);
  return `${passed} passed, ${failed + problems} failed, ${skipped} skipped`;
}
