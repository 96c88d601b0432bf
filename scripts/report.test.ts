import type { JSONReport } from '@playwright/test/reporter';
import { describe, expect, it } from 'vitest';
import type { JsonTestResults } from 'vitest/node';
import {
  countOutcomes,
  judgeSkips,
  mergeSecondRun,
  readPlaywrightReport,
  readVitestReport,
  type TestResult,
} from './lib/report';

const assertion = (title: string, status: string, more: object = {}) => {
  return { fullName: `a ${title}`, ancestorTitles: ['a'], title, status, ...more };
};
const readFile = (status: string, assertionResults: ReturnType<typeof assertion>[], success = false) =>
  readVitestReport(
    {
      success,
      testResults: [{ name: '/r/x.test.ts', status, assertionResults }],
    } as unknown as JsonTestResults,
    '/r',
  );
const readSuites = (suites: object[], errors: unknown[] = []) =>
  readPlaywrightReport({ suites, errors } as unknown as JSONReport);

describe('readVitestReport', () => {
  it('counts passed, failed, skipped and unfinished tests', () => {
    const all = ['passed', 'failed', 'pending', 'todo'].map((status) => assertion(status, status));
    const results = readFile('failed', all);
    expect(countOutcomes(results)).toEqual({ passed: 1, failed: 1, skipped: 2 });
    expect(results[0]?.test).toBe('x.test.ts > a > passed');
  });

  it('counts a file that did not load as a failure', () => {
    const itself = { runner: 'vitest', test: 'x.test.ts > the file itself', outcome: 'failed' };
    expect(readFile('failed', [])).toEqual([itself]);
  });

  it('gives the first lines of a failure as its reason', () => {
    const failed = assertion('t', 'failed', { failureMessages: ['expected 1 to be 2\n\nat x'] });
    expect(readFile('failed', [failed])[0]?.reason).toBe('expected 1 to be 2\nat x');
  });

  it('counts an error outside of any test as a failure', () => {
    const passed = [assertion('t', 'passed')];
    expect(countOutcomes(readFile('passed', passed, false)).failed).toBe(1);
    expect(countOutcomes(readFile('passed', passed, true)).failed).toBe(0);
  });
});

describe('readPlaywrightReport', () => {
  const spec = (title: string, status: string) => ({ title, tests: [{ status }] });
  const inGroup = [spec('two', 'unexpected'), spec('three', 'skipped'), spec('four', 'flaky')];
  const group = { title: 'group', specs: inGroup };
  const suites = [{ title: 'f.spec.ts', specs: [spec('one', 'expected')], suites: [group] }];

  it('reads nested tests, and counts a pass at the second attempt as passed and unstable', () => {
    const results = readSuites(suites);
    expect(countOutcomes(results)).toEqual({ passed: 2, failed: 1, skipped: 1 });
    expect(results.map(({ test }) => test)).toContain('f.spec.ts > group > two');
    const unstable = results.filter(({ isUnstable }) => isUnstable);
    expect(unstable.map(({ test }) => test)).toEqual(['f.spec.ts > group > four']);
  });

  it('strips colours from the reason of a failure', () => {
    const errors = [{ message: '\u001b[31mError\u001b[39m: not visible\n\n  at a line' }];
    const failed = { title: 'one', tests: [{ status: 'unexpected', results: [{ errors }] }] };
    const [result] = readSuites([{ title: 'f', specs: [failed] }]);
    expect(result?.reason).toBe('Error: not visible\n  at a line');
  });

  it('counts an error outside of any test as a failure', () => {
    expect(countOutcomes(readSuites([], ['x'])).failed).toBe(1);
  });
});

describe('mergeSecondRun', () => {
  const result = (
    test: string,
    outcome: TestResult['outcome'],
    more: Partial<TestResult> = {},
  ): TestResult => {
    return { runner: 'vitest', test, outcome, ...more };
  };

  it('counts a test that passes alone as unstable, with the reason of its first failure', () => {
    const first = [result('x > a', 'passed'), result('x > b', 'failed', { reason: 'r' })];
    const second = [result('x > a', 'passed'), result('x > b', 'passed')];
    const unstable = result('x > b', 'passed', { isUnstable: true, reason: 'r' });
    expect(mergeSecondRun(first, second)).toEqual([result('x > a', 'passed'), unstable]);
  });

  it('keeps a failure that repeats, and one that only the second run has', () => {
    const first = [result('x > a', 'failed'), result('x > b', 'passed')];
    const second = [result('x > a', 'failed'), result('x > b', 'failed'), result('x > c', 'failed')];
    expect(mergeSecondRun(first, second)).toEqual(second);
  });

  it('counts a file that failed as a whole as unstable only if all its tests pass alone', () => {
    const first = [result('x > the file itself', 'failed')];
    const itself = result('x > the file itself', 'passed', { isUnstable: true });
    const passed = result('x > a', 'passed');
    expect(mergeSecondRun(first, [passed])).toEqual([itself, passed]);
    const failed = result('x > a', 'failed');
    expect(mergeSecondRun(first, [failed])).toEqual([first[0], failed]);
  });

  it('keeps a failure that did not run again', () => {
    expect(mergeSecondRun([result('y > a', 'failed')], [])).toEqual([result('y > a', 'failed')]);
  });
});

describe('judgeSkips', () => {
  const skipped: TestResult = { runner: 'vitest', test: 'x > y', outcome: 'skipped' };

  it('reports a skip that the list does not allow with a reason', () => {
    expect(judgeSkips([skipped], [])).toHaveLength(1);
    expect(judgeSkips([skipped], [{ ...skipped, reason: ' ' }])).toHaveLength(1);
    expect(judgeSkips([skipped], [{ ...skipped, runner: 'playwright', reason: 'r' }])).toHaveLength(2);
    expect(judgeSkips([skipped], [{ ...skipped, reason: 'needs a Mac' }])).toEqual([]);
  });

  it('reports an allowed skip of a test that does not exist', () => {
    expect(judgeSkips([], [{ runner: 'vitest', test: 'gone', reason: 'r' }])).toEqual([
      '.ci/allowed-skips.json names a test that does not exist: vitest: gone',
    ]);
  });
});
