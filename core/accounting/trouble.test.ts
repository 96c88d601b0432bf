import { describe, expect, it } from 'vitest';
import { troubleSentence } from '../events/trouble-sentence';
import { FoldRun, snapshotRun } from './fold-testing';
import { summarizeSession } from './summarize-session';
import { DEFAULT_THRESHOLDS } from './thresholds';

const troubleOf = (run: FoldRun) => summarizeSession(run.state, DEFAULT_THRESHOLDS).trouble;
const thrashes = (run: FoldRun) => run.events.filter(({ kind }) => kind === 'thrash');
const storms = (run: FoldRun) => run.events.filter(({ kind }) => kind === 'cache_storm');

function compact(run: FoldRun, boundary: string, trigger: 'auto' | 'manual' = 'auto') {
  run.add('compaction', { trigger, state: 'confirmed', boundary });
}

function grow(run: FoldRun, turns: number, from = 60_000) {
  for (let i = 0; i < turns; i += 1) run.reads(from + i * 1_000);
}

/** A call with a prompt of 100 000 tokens and this share from the cache. */
function call(run: FoldRun, share: number) {
  run.turn([0, 100, 100_000 * share], {
    usage: { input: 10, output: 100, cacheRead: 100_000 * share, cacheCreation: 100_000 * (1 - share) },
  });
}

describe('thrash', () => {
  it('is reported for a context that is full again within ten turns of a compaction', () => {
    const run = snapshotRun(200_000);
    grow(run, 30);
    compact(run, 'a');
    expect(thrashes(run)).toEqual([]);
    grow(run, 4, 140_000);
    compact(run, 'b');
    expect(thrashes(run)).toMatchObject([
      { context: 1, detail: { form: 'refill', turns: 4, inARow: 1 }, chain: 'main' },
    ]);
    expect(troubleOf(run)).toMatchObject({ kind: 'thrash', context: 1 });
    expect(troubleOf(run)?.sentence).toContain('Full again 4 turns after its compaction');
    grow(run, 3, 140_000);
    compact(run, 'c');
    expect(thrashes(run).at(-1)?.detail).toMatchObject({ inARow: 2 });
  });

  it('is reported for two compactions without a turn between them', () => {
    const run = snapshotRun(200_000);
    grow(run, 30);
    compact(run, 'a');
    compact(run, 'b');
    expect(thrashes(run)).toMatchObject([{ detail: { form: 'in_a_row', turns: 0, inARow: 1 } }]);
  });

  it('is not reported for two reports of one compaction, nor for a manual compaction', () => {
    const run = snapshotRun(200_000);
    grow(run, 30);
    compact(run, 'a');
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    grow(run, 4);
    compact(run, 'b', 'manual');
    expect(thrashes(run)).toEqual([]);
  });

  it('is reported when an announced compaction is confirmed, not when it is blocked', () => {
    const run = snapshotRun(200_000);
    grow(run, 30);
    compact(run, 'a');
    grow(run, 2);
    run.add('compaction', { trigger: 'auto', state: 'pending' });
    expect(thrashes(run)).toEqual([]);
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(thrashes(run)).toHaveLength(1);
    grow(run, 2);
    run.add('compaction', { trigger: 'auto', state: 'pending' });
    run.add('compaction', { trigger: 'auto', state: 'blocked' });
    expect(thrashes(run)).toHaveLength(1);
  });

  it('is reported for a restart with its first turn at or past the restart line', () => {
    const run = new FoldRun();
    run.add('session_start', { limit: 10_000 });
    run.turn([9_500, 0]);
    run.add('restart', {});
    run.turn([8_999, 0]);
    expect(thrashes(run)).toEqual([]);
    run.add('restart', {});
    run.turn([9_000, 0]);
    expect(thrashes(run)).toMatchObject([
      { context: 2, detail: { form: 'restart_full', used: 9_000, limit: 10_000, line: 9_000 } },
    ]);
    run.turn([100, 0]);
    expect(thrashes(run)).toHaveLength(1);
    expect(troubleOf(run)?.sentence).toContain('past the restart line at 9\u202f000 tokens');
  });

  it.each([9_900, 12_000])('is not reported for a session that never restarts, at %i of 10 000', (tokens) => {
    const run = new FoldRun();
    run.add('session_start', { limit: 10_000, restartLine: 1.1 });
    run.add('restart', {});
    run.turn([tokens, 0]);
    expect(thrashes(run)).toEqual([]);
  });

  it('after a restart lasts while the size is unknown, and ends below the restart line', () => {
    const run = snapshotRun(10_000);
    run.add('restart', {});
    run.reads(9_500);
    expect(troubleOf(run)).not.toBeNull();
    run.add('clear', {});
    run.turn([10, 10]);
    expect(troubleOf(run)).not.toBeNull();
    run.reads(5_000);
    expect(troubleOf(run)).toBeNull();
  });
});

describe('a cache storm', () => {
  it('is reported once when three of five calls have uncached prompts', () => {
    const run = new FoldRun();
    for (let i = 0; i < 14; i += 1) call(run, 0.97);
    call(run, 0);
    call(run, 0.02);
    expect(storms(run)).toEqual([]);
    call(run, 0.02);
    expect(storms(run)).toMatchObject([{ detail: { missed: 3, of: 5, tokens: 296_030 } }]);
    expect(storms(run)[0]?.detail).toHaveProperty('usualShare', expect.closeTo(0.97, 1));
    call(run, 0);
    expect(storms(run)).toHaveLength(1);
    expect(troubleOf(run)?.sentence).toMatch(
      /^Cache hits fell from 9\d\u00a0% to 1\u00a0% of the prompt: 3 of/,
    );
  });
});

describe('the sentence about trouble', () => {
  it('counts repetitions', () => {
    expect(troubleSentence({ kind: 'thrash', detail: { form: 'refill', turns: 1, inARow: 3 } })).toBe(
      'Full again 1 turn after its compaction, 3 times in a row: summary and re-read files leave too little room.',
    );
  });
});
