/** A sum of several calls is not counted if another source reported these calls. */
import { beforeEach, describe, expect, it } from 'vitest';
import { FoldRun } from './fold-testing';
import type { SourceName } from './types';

let run: FoldRun;
beforeEach(() => {
  run = new FoldRun();
});

type Spent = readonly [input: number, output: number, cacheRead?: number, cacheCreation?: number];

function side(
  source: SourceName,
  [input, output, cacheRead = 0, cacheCreation = 0]: Spent,
  more: object = {},
) {
  const usage = { input, output, cacheRead, cacheCreation };
  return run.add('turn', { usage, scope: 'side', model: 'm', ...more }, { source });
}

/** Adds a transcript's sum of the calls of several compactions. @returns whether the sum is counted */
function isCounted(spent: Spent, more: object = {}): boolean {
  const { turn } = side('transcript', spent, { chain: 'acompact-b', ...more });
  expect(turn?.flags.readingIgnored).toBe(turn?.flags.inherited);
  return turn?.flags.inherited === false;
}

describe('the sum of several compactions’ calls', () => {
  it('is covered by the newest side calls of OTLP that add up to it', () => {
    side('otlp', [7, 7]);
    side('otlp', [4, 15, 3, 1]);
    side('otlp', [5, 25, 1, 0]);
    expect(isCounted([9, 40, 4, 1])).toBe(false);
    expect(run.state).toMatchObject({ summaryCalls: 2, totals: { side: { input: 16, calls: 3 } } });
  });

  it.each([
    [10, 40, 4, 1],
    [9, 41, 4, 1],
    [9, 40, 5, 1],
    [9, 40, 4, 2],
  ] as const)('is counted if a figure differs: %d, %d, %d, %d', (...spent) => {
    side('otlp', [9, 40, 4, 1]);
    expect(isCounted(spent)).toBe(true);
    expect(run.state).toMatchObject({ summaryCalls: 1, totals: { side: { calls: 2 } } });
  });

  it('does not include calls of another model', () => {
    side('otlp', [4, 15]);
    side('otlp', [2, 3], { model: 'small' });
    side('otlp', [5, 25]);
    expect(isCounted([9, 40])).toBe(false);
    side('otlp', [9, 40], { model: 'small' });
    expect(isCounted([9, 40])).toBe(true);
    expect(run.state.summaryCalls).toBe(3);
  });

  it('covers each call only once', () => {
    side('otlp', [9, 40]);
    expect(isCounted([9, 40])).toBe(false);
    expect(isCounted([9, 40])).toBe(true);
  });

  it('is compared with the last 32 side calls', () => {
    for (let call = 0; call < 33; call += 1) side('otlp', [1, 1]);
    expect(isCounted([33, 33])).toBe(true);
    for (let call = 0; call < 33; call += 1) side('otlp', [1, 1]);
    expect(isCounted([32, 32])).toBe(false);
  });

  it.each([
    ['main calls', { scope: 'main' }],
    ['inherited calls', { inherited: true }],
    ['calls without usage', { usage: null }],
  ])('does not include %s', (_, more) => {
    side('otlp', [5, 25]);
    side('otlp', [4, 15], more);
    expect(isCounted([9, 40])).toBe(true);
    side('otlp', [9, 40]);
    side('otlp', [4, 15], more);
    expect(isCounted([9, 40])).toBe(false);
  });

  it.each(['transcript', 'sdk', 'hook'] as const)('does not include calls of %s', (source) => {
    side(source, [9, 40]);
    expect(isCounted([9, 40])).toBe(true);
  });

  it('is recognised only on the chain of a summary, and only as a side call of the transcript with usage', () => {
    const calls = () => side('otlp', [9, 40]);
    calls();
    expect(isCounted([9, 40], { chain: 'agent' })).toBe(true);
    expect(isCounted([9, 40], { scope: 'main' })).toBe(true);
    expect(isCounted([9, 40], { usage: null })).toBe(true);
    expect(side('otlp', [9, 40], { chain: 'acompact-b' }).turn?.flags.inherited).toBe(false);
    expect(side('sdk', [9, 40], { chain: 'acompact-b' }).turn?.flags.inherited).toBe(false);
    const { turn } = side('transcript', [9, 40], { chain: 'acompact-b', inherited: true });
    expect(turn?.flags).toMatchObject({ inherited: true, readingIgnored: false });
    expect(isCounted([9, 40])).toBe(false);
  });
});
