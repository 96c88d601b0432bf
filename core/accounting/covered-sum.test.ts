import { describe, expect, it } from 'vitest';
import { FoldRun } from './fold-testing';
import { minute, noFlags } from './step-testing';
import type { SourceName } from './types';

type Report = readonly [
  minutes: number,
  source: SourceName,
  fields?: { call?: string; scope?: 'side'; inherited?: boolean },
  byLibrary?: boolean,
];

/** Reports turns in this order, then compares the flags of the last turn. */
function expectLast(reports: readonly Report[], isCovered: boolean): void {
  const run = new FoldRun();
  for (const [minutes, source, fields, byLibrary = false] of reports)
    run.add('turn', { usage: { input: 1 }, ...fields }, minute(minutes, { source, byLibrary }));
  const flags = { ...noFlags, inherited: isCovered, readingIgnored: isCovered };
  expect(run.steps.at(-1)?.turn?.flags).toEqual(flags);
}

describe('a turn that the library reports without a call’s id', () => {
  const side = { scope: 'side' } as const;
  const inherited = { inherited: true };

  it.each<[string, ...Report[]]>([
    ['before this turn', [1, 'transcript'], [2, 'sdk']],
    ['at the same time', [2, 'transcript'], [2, 'sdk']],
    ['that is earlier but arrived late', [2, 'transcript'], [1, 'transcript'], [1, 'sdk']],
    ['since the last sum', [1, 'transcript'], [2, 'sdk'], [3, 'transcript'], [4, 'sdk']],
    ['before a side call of the library', [1, 'transcript'], [2, 'sdk', side], [3, 'sdk']],
    ['before a copied turn of the library', [1, 'transcript'], [2, 'sdk', inherited], [3, 'sdk']],
  ])('is not counted if the transcript has a call %s', (_, ...reports) => {
    expectLast(reports, true);
  });

  it.each<[string, ...Report[]]>([
    ['no call', [2, 'sdk']],
    ['only a later call', [3, 'transcript'], [2, 'sdk']],
    ['only calls before the last sum', [1, 'transcript'], [2, 'sdk'], [3, 'sdk']],
    ['only a call at the time of the last sum', [1, 'transcript'], [1, 'sdk'], [1, 'sdk']],
    ['only calls before the latest sum', [4, 'sdk'], [1, 'sdk'], [3, 'transcript'], [5, 'sdk']],
    ['only a call that the library reported too', [1, 'transcript', {}, true], [2, 'sdk']],
    ['only older calls', [1, 'transcript'], [2, 'transcript', {}, true], [3, 'sdk']],
    ['only a side call', [1, 'transcript', side], [2, 'sdk']],
  ])('is counted if the transcript has %s', (_, ...reports) => {
    expectLast(reports, false);
  });

  it.each(['hook', 'otlp'] as const)('is not counted if %s reported the call', (source) => {
    expectLast(
      [
        [1, source],
        [2, 'sdk'],
      ],
      true,
    );
  });
});

describe('a turn that the library reports', () => {
  it('with its call’s id is counted beside the transcript', () => {
    expectLast(
      [
        [1, 'transcript'],
        [2, 'sdk', { call: 'c1' }],
      ],
      false,
    );
  });

  it('as a side call is counted beside the transcript', () => {
    expectLast(
      [
        [1, 'transcript'],
        [2, 'sdk', { scope: 'side' }],
      ],
      false,
    );
  });
});

it('adds no rest of a sum, because a lost call and the call of a sub-agent leave the same rest', () => {
  const run = new FoldRun();
  const call = (minutes: number, source: SourceName, input: number, fields = {}) =>
    run.add('turn', { usage: { input }, ...fields }, minute(minutes, { source }));
  call(1, 'otlp', 60, { call: 'c1' });
  call(2, 'sdk', 100);
  expect(run.state.totals).toMatchObject({ main: { input: 60 }, side: { input: 0 } });
  // The sum of 100 includes the sub-agent's 40. A rest of 40 would raise the total to 140.
  call(1.5, 'transcript', 40, { call: 'c2', chain: 'agent' });
  expect(run.state.totals).toMatchObject({ main: { input: 60 }, side: { input: 40 } });
});
