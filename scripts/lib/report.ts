/** What each runner's JSON report says, in one shape. */

export type Outcome = 'passed' | 'failed' | 'skipped';

export interface TestResult {
  runner: string;
  /** File and titles, joined by ` > `. */
  test: string;
  outcome: Outcome;
}

interface VitestReport {
  success: boolean;
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; ancestorTitles: string[]; title: string; status: string }[];
  }[];
}

/** A file that failed before its first test counts as one failure. */
export function readVitestReport(report: VitestReport, root: string): TestResult[] {
  const results = report.testResults.flatMap((file): TestResult[] => {
    const name = file.name.startsWith(`${root}/`) ? file.name.slice(root.length + 1) : file.name;
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')) {
      return [{ runner: 'vitest', test: `${name} > the file itself`, outcome: 'failed' }];
    }
    return file.assertionResults.map(({ ancestorTitles, title, status }) => ({
      runner: 'vitest',
      test: [name, ...ancestorTitles, title].join(' > '),
      outcome: status === 'passed' ? 'passed' : status === 'failed' ? 'failed' : 'skipped',
    }));
  });
  // An error outside of any test (a broken set-up, an unhandled rejection) fails a run whose tests all passed.
  if (!report.success && !results.some(({ outcome }) => outcome === 'failed')) {
    results.push({ runner: 'vitest', test: 'the run itself', outcome: 'failed' });
  }
  return results;
}

interface PlaywrightSuite {
  title: string;
  suites?: PlaywrightSuite[];
  specs?: { title: string; tests: { status: string }[] }[];
}

interface PlaywrightReport {
  suites: PlaywrightSuite[];
  errors: unknown[];
}

/** A test that passed only when it was run again counts as failed. */
export function readPlaywrightReport(report: PlaywrightReport): TestResult[] {
  const walk = (suite: PlaywrightSuite, path: string[]): TestResult[] => [
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests.map(
        ({ status }): TestResult => ({
          runner: 'playwright',
          test: [...path, suite.title, spec.title].join(' > '),
          outcome: status === 'expected' ? 'passed' : status === 'skipped' ? 'skipped' : 'failed',
        }),
      ),
    ),
    ...(suite.suites ?? []).flatMap((child) => walk(child, [...path, suite.title])),
  ];
  const results = report.suites.flatMap((suite) => walk(suite, []));
  if (report.errors.length > 0)
    results.push({ runner: 'playwright', test: 'the run itself', outcome: 'failed' });
  return results;
}

export interface AllowedSkip {
  runner: string;
  test: string;
  reason: string;
}

/** Sentences about skips that no list allows, and about entries of the list that nothing needs. */
export function judgeSkips(results: readonly TestResult[], allowed: readonly AllowedSkip[]): string[] {
  const skipped = results.filter(({ outcome }) => outcome === 'skipped');
  const matches = (skip: AllowedSkip, result: TestResult) =>
    skip.runner === result.runner && skip.test === result.test;
  return [
    ...skipped
      .filter((result) => !allowed.some((skip) => matches(skip, result) && skip.reason.trim() !== ''))
      .map(({ runner, test }) => `Skipped without a reason in .ci/allowed-skips.json: ${runner}: ${test}`),
    ...allowed
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
