/** Reads the JSON reports of all runners into one shape. */
import { stripVTControlCharacters } from 'node:util';
import type { JSONReport, JSONReportSuite, JSONReportTest } from '@playwright/test/reporter';
import type { JsonTestResults } from 'vitest/node';

export type Outcome = 'passed' | 'failed' | 'skipped';

export interface TestResult {
  runner: string;
  /** File and titles, joined by ` > `. */
  test: string;
  outcome: Outcome;
  /** It failed first, and passed when it ran again by itself. */
  isUnstable?: boolean;
  /** First lines of the failure message, plain text. */
  reason?: string;
}

export const THE_RUN_ITSELF = 'the run itself';
/** Ends the title of a result that describes a whole file. */
const ITSELF = ' > the file itself';

const REASON_LINES = 12;
const REASON_CHARACTERS = 1_200;

/** The first lines of a failure message, without colours and empty lines. */
function shorten(message: string | undefined): Pick<TestResult, 'reason'> {
  const lines = stripVTControlCharacters(message ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const reason = lines.slice(0, REASON_LINES).join('\n').slice(0, REASON_CHARACTERS);
  return reason === '' ? {} : { reason };
}

/** A test file that fails before its first test counts as one failure. */
export function readVitestReport(report: JsonTestResults, root: string): TestResult[] {
  const results = report.testResults.flatMap((file): TestResult[] => {
    const name = file.name.startsWith(`${root}/`) ? file.name.slice(root.length + 1) : file.name;
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')) {
      const test = `${name}${ITSELF}`;
      return [{ runner: 'vitest', test, outcome: 'failed', ...shorten(file.message) }];
    }
    return file.assertionResults.map(({ ancestorTitles, title, status, failureMessages }) => ({
      runner: 'vitest',
      test: [name, ...ancestorTitles, title].join(' > '),
      outcome: status === 'passed' ? 'passed' : status === 'failed' ? 'failed' : 'skipped',
      ...shorten(failureMessages?.[0]),
    }));
  });
  // An error outside of tests, such as an unhandled rejection, fails a run in which all tests passed.
  if (!report.success && !results.some(({ outcome }) => outcome === 'failed')) {
    results.push({ runner: 'vitest', test: THE_RUN_ITSELF, outcome: 'failed' });
  }
  return results;
}

/** Absolute paths of the files with a failed test, and of those that failed as a whole. */
export function listFailedFiles(report: JsonTestResults): string[] {
  return report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/**
 * Replace the results of the files that ran again. A test that failed only the first time counts as passed and unstable;
 * a file with an error outside of its tests gets a result of its own.
 */
export function mergeSecondRun(first: readonly TestResult[], second: readonly TestResult[]): TestResult[] {
  const again = new Map(second.map((result) => [result.test, result]));
  const merged = first.flatMap((result): TestResult[] => {
    if (result.outcome !== 'failed') return [again.get(result.test) ?? result];
    const repeated = again.get(result.test);
    if (repeated?.outcome === 'passed')
      return [
        { ...repeated, isUnstable: true, ...(result.reason !== undefined && { reason: result.reason }) },
      ];
    // A file that did not load has one result the first time, and one for each of its tests the second time.
    const isFile = result.test.endsWith(ITSELF);
    const file = result.test.slice(0, -ITSELF.length);
    const own = isFile ? second.filter(({ test }) => test.startsWith(`${file} > `)) : [];
    if (own.length > 0 && own.every(({ outcome }) => outcome !== 'failed'))
      return [{ ...result, outcome: 'passed', isUnstable: true }];
    return [result];
  });
  const known = new Set(merged.map(({ test }) => test));
  return [...merged, ...second.filter(({ test }) => !known.has(test))];
}

function reasonOf({ results }: JSONReportTest): Pick<TestResult, 'reason'> {
  return shorten(results?.flatMap(({ errors }) => errors ?? [])[0]?.message);
}

export function readPlaywrightReport(report: JSONReport): TestResult[] {
  const walk = (suite: JSONReportSuite, path: string[]): TestResult[] => [
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests.map(
        (test): TestResult => ({
          runner: 'playwright',
          test: [...path, suite.title, spec.title].join(' > '),
          outcome: outcomeOf(test.status),
          ...(test.status === 'flaky' && { isUnstable: true }),
          ...reasonOf(test),
        }),
      ),
    ),
    ...(suite.suites ?? []).flatMap((child) => walk(child, [...path, suite.title])),
  ];
  const results = report.suites.flatMap((suite) => walk(suite, []));
  if (report.errors.length > 0)
    results.push({ runner: 'playwright', test: THE_RUN_ITSELF, outcome: 'failed' });
  return results;
}

function outcomeOf(status: string): Outcome {
  if (status === 'expected' || status === 'flaky') return 'passed';
  return status === 'skipped' ? 'skipped' : 'failed';
}

export interface AllowedSkip {
  runner: string;
  test: string;
  reason: string;
}

/**
 * A sentence for each skip that is not allowed, and, if all tests ran, for each allowed skip without a test.
 */
export function judgeSkips(
  results: readonly TestResult[],
  allowed: readonly AllowedSkip[],
  areAll = true,
): string[] {
  const skipped = results.filter(({ outcome }) => outcome === 'skipped');
  const matches = (skip: AllowedSkip, result: TestResult) =>
    skip.runner === result.runner && skip.test === result.test;
  return [
    ...skipped
      .filter((result) => !allowed.some((skip) => matches(skip, result) && skip.reason.trim() !== ''))
      .map(({ runner, test }) => `Skipped without a reason in .ci/allowed-skips.json: ${runner}: ${test}`),
    ...(areAll ? allowed : [])
      .filter((skip) => !results.some((result) => matches(skip, result)))
      .map(
        ({ runner, test }) => `.ci/allowed-skips.json names a test that does not exist: ${runner}: ${test}`,
      ),
  ];
}

export function countOutcomes(results: readonly TestResult[]): Record<Outcome, number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}
