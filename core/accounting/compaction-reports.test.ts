/** How several reports of one compaction are merged, and what the fold learns from a compaction. */
import { describe, expect, it } from 'vitest';
import { FoldRun, START, snapshotRun } from './fold-testing';

/** At 160 000 of 200 000. */
function nearlyFull() {
  const run = snapshotRun(200_000);
  run.reads(160_000);
  return run;
}
const hook = { source: 'hook' } as const;
const sdk = { source: 'sdk' } as const;
const auto = { trigger: 'auto', state: 'confirmed' } as const;
const pointsOf = (run: FoldRun) => run.state.chains.main?.compactedAt;

describe('a further report of a compaction', () => {
  it('without new facts changes nothing', () => {
    const run = nearlyFull();
    run.add('compaction', { ...auto, preTokens: 167_000 }, sdk);
    expect(run.add('compaction', auto, sdk).amends).toBeNull();
    expect(run.add('compaction', auto).amends).toBeNull();
    expect(run.add('compaction', { ...auto, preTokens: 167_000 }).amends).toBeNull();
    expect(run.state.chains.main?.compactions[0]?.detail.preTokens).toBe(167_000);
  });

  it('with the same figures from a better source changes nothing', () => {
    const run = nearlyFull();
    run.add('compaction', { ...auto, preTokens: 167_000 }, hook);
    expect(run.add('compaction', { ...auto, preTokens: 167_000 }).amends).toBeNull();
  });

  it('stores its boundary id in the event; repeating the id changes nothing', () => {
    const run = nearlyFull();
    const first = run.add('compaction', { ...auto, boundary: 'a' });
    expect(first.events[0]?.detail).toMatchObject({ boundary: 'a' });
    expect(run.add('compaction', { ...auto, boundary: 'a' }).amends).toBeNull();
    const unnamed = run.add('compaction', { ...auto, postTokens: 9 });
    expect(unnamed.amends?.detail).toMatchObject({ boundary: 'a', postTokens: 9 });
    expect(run.add('compaction', { ...auto, boundary: 'b' }).closed).not.toBeNull();
  });

  it('adds missing figures from any source', () => {
    const run = nearlyFull();
    run.add('compaction', { ...auto, preTokens: 167_000 });
    const { amends } = run.add('compaction', { ...auto, postTokens: 2_700, durationMs: 9 }, hook);
    expect(amends?.detail).toMatchObject({ preTokens: 167_000, postTokens: 2_700, durationMs: 9 });
  });

  it('corrects figures only from a better source', () => {
    const run = nearlyFull();
    run.add('compaction', { ...auto, preTokens: 1 }, sdk);
    expect(run.add('compaction', { ...auto, preTokens: 2 }, sdk).amends).toBeNull();
    expect(run.add('compaction', { ...auto, preTokens: 3 }, hook).amends).toBeNull();
    expect(run.add('compaction', { ...auto, preTokens: 3 }, sdk).amends).toBeNull();
    expect(run.add('compaction', { ...auto, preTokens: 4 }).amends?.detail.preTokens).toBe(4);
    expect(run.add('compaction', { ...auto, preTokens: 5 }, sdk).amends).toBeNull();
  });

  it('states the trigger that another report lacks, in both orders', () => {
    const manual = { trigger: 'manual', state: 'pending' } as const;
    const unstated = { state: 'confirmed', boundary: 'a' } as const;
    const late = nearlyFull();
    expect(late.add('compaction', unstated).events[0]?.detail).toMatchObject({ trigger: 'auto' });
    expect(late.add('compaction', manual, hook).amends?.detail).toMatchObject({
      trigger: 'manual',
      state: 'confirmed',
    });
    const early = nearlyFull();
    early.add('compaction', manual, hook);
    expect(early.add('compaction', unstated).amends?.detail).toMatchObject({
      trigger: 'manual',
      boundary: 'a',
    });
    expect(early.state.chains.main?.compactions).toHaveLength(1);
  });

  it('adds a boundary id that the first report lacked', () => {
    const run = nearlyFull();
    run.add('compaction', auto, sdk);
    run.add('compaction', { ...auto, boundary: 'a' });
    run.add('compaction', { ...auto, boundary: 'b' });
    expect(run.state.compactions).toBe(2);
    run.add('compaction', { ...auto, boundary: 'a' });
    expect(run.state.compactions).toBe(2);
  });

  it('never reverts a confirmed compaction', () => {
    const run = nearlyFull();
    run.add('compaction', auto);
    for (const state of ['blocked', 'failed', 'pending'] as const) {
      expect(run.add('compaction', { trigger: 'auto', state }).amends).toBeNull();
    }
    expect(run.state.chains.main?.compactions).toMatchObject([{ state: 'confirmed' }]);
  });

  it('of a blocked compaction changes nothing unless the report confirms the compaction', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'blocked' }, hook);
    expect(run.add('compaction', { trigger: 'auto', state: 'blocked' }, hook).amends).toBeNull();
    expect(run.add('compaction', { trigger: 'auto', state: 'pending' }, hook).amends).toBeNull();
    expect(run.add('compaction', auto).closed?.endedBy).toBe('compaction');
  });

  it.each(['blocked', 'failed'] as const)(
    'with the state %s and its reason may arrive after further turns',
    (state) => {
      const run = nearlyFull();
      run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
      run.reads(162_000);
      const { amends, events } = run.add(
        'compaction',
        { trigger: 'auto', state, reason: 'another hook' },
        hook,
      );
      expect(events).toEqual([]);
      expect(amends?.detail).toMatchObject({ state, reason: 'another hook' });
      expect(run.state.chains.main?.compactions).toHaveLength(1);
      run.reads(164_000);
      // The first compaction is over, so this report is about another compaction.
      expect(run.add('compaction', { trigger: 'auto', state }, hook).events).toHaveLength(1);
    },
  );

  it.each(['blocked', 'failed'] as const)(
    'with the state %s has its reason, even if it is the first report',
    (state) => {
      const step = nearlyFull().add('compaction', { trigger: 'auto', state, reason: 'another hook' }, hook);
      expect(step.events[0]?.detail).toMatchObject({ state, reason: 'another hook' });
      const silent = nearlyFull().add('compaction', { trigger: 'auto', state }, hook);
      expect(silent.events[0]?.detail).not.toHaveProperty('reason');
    },
  );

  it('has a reason only if its state is blocked or failed and its report gives a reason', () => {
    for (const state of ['pending', 'confirmed'] as const) {
      const { events } = nearlyFull().add('compaction', { trigger: 'auto', state, reason: 'why not' }, hook);
      expect(events[0]?.detail).not.toHaveProperty('reason');
    }
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    const { amends } = run.add('compaction', { trigger: 'auto', state: 'failed' }, hook);
    expect(amends?.detail).not.toHaveProperty('reason');
  });

  it('that confirms the compaction removes the reason of a failure', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'failed', reason: 'too slow' }, hook);
    const { amends } = run.add('compaction', { ...auto, reason: 'none' });
    expect(amends?.detail).toMatchObject({ state: 'confirmed' });
    expect(amends?.detail).not.toHaveProperty('reason');
  });

  it('can join one of the last four compactions', () => {
    const run = nearlyFull();
    for (const boundary of ['a', 'b', 'c', 'd']) run.add('compaction', { ...auto, boundary });
    run.add('compaction', { ...auto, boundary: 'a' });
    expect(run.state.compactions).toBe(4);
    run.add('compaction', { ...auto, boundary: 'e' });
    run.add('compaction', { ...auto, boundary: 'a' });
    expect(run.state.compactions).toBe(6);
  });
});

describe('what is learned from a compaction', () => {
  it('is the size that an automatic compaction reports, else the last reading before it', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'manual', state: 'confirmed', preTokens: 90_000 });
    expect(pointsOf(run)).toEqual([]);
    run.reads(161_000);
    run.add('compaction', auto);
    run.reads(20_000);
    run.add('compaction', { ...auto, preTokens: 167_000 });
    run.reads(30_000);
    run.add('compaction', { ...auto, preTokens: 0 });
    expect(pointsOf(run)).toEqual([161_000, 167_000, 30_000]);
  });

  it('is nothing until the compaction is confirmed', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    run.add('compaction', { trigger: 'auto', state: 'pending', preTokens: 150_000 }, hook);
    expect(pointsOf(run)).toEqual([]);
  });

  it('is nothing if neither the point nor a reading is known', () => {
    const run = new FoldRun();
    run.turn([10, 10]);
    run.add('compaction', auto);
    run.turn([10, 10]);
    run.add('compaction', { ...auto, preTokens: 0 });
    expect(pointsOf(run)).toEqual([]);
  });

  it('is corrected in place by later figures', () => {
    const run = nearlyFull();
    run.add('compaction', { ...auto, boundary: 'a' });
    run.reads(150_000);
    run.add('compaction', { ...auto, boundary: 'b' });
    expect(pointsOf(run)).toEqual([160_000, 150_000]);
    run.add('compaction', { ...auto, boundary: 'a', preTokens: 167_000 });
    expect(pointsOf(run)).toEqual([167_000, 150_000]);
    run.add('compaction', { ...auto, boundary: 'b', durationMs: 5 });
    expect(pointsOf(run)).toEqual([167_000, 150_000]);
  });

  it('is added when a later report has the size', () => {
    const run = new FoldRun();
    run.turn([10, 10]);
    run.add('compaction', { ...auto, boundary: 'a', preTokens: 99_000 });
    run.add('compaction', { ...auto, boundary: 'b' });
    run.add('compaction', { ...auto, boundary: 'b', preTokens: 98_000 });
    expect(pointsOf(run)).toEqual([99_000, 98_000]);
  });

  it('is forgotten when the window changes', () => {
    const run = nearlyFull();
    run.add('compaction', { ...auto, boundary: 'a' });
    run.reads(20_000, { limit: 1_000_000 });
    run.add('compaction', { ...auto, boundary: 'a', preTokens: 167_000 });
    expect(pointsOf(run)).toEqual([]);
  });

  it('is kept for the last eight compactions', () => {
    const run = nearlyFull();
    for (let n = 1; n <= 8; n += 1) run.add('compaction', { ...auto, boundary: `${n}`, preTokens: n });
    expect(pointsOf(run)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    run.add('compaction', { ...auto, boundary: '9', preTokens: 9 });
    expect(pointsOf(run)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('is no evidence of the window, because a client may count more than the window holds', () => {
    const run = snapshotRun();
    run.reads(100_000, { model: 'claude-opus-4-5' });
    run.add('compaction', { ...auto, preTokens: 215_000 });
    expect(run.state.chains.main?.limit).toMatchObject({ tokens: 200_000, source: 'table' });
  });

  it('does not replace a limit stated by a turn', () => {
    const run = snapshotRun();
    run.reads(100_000, { limit: 200_000 });
    run.add('compaction', { ...auto, preTokens: 150_000 });
    expect(run.state.chains.main?.limit).toMatchObject({ tokens: 200_000, source: 'turn' });
    run.add('session_start', { limit: 300_000 });
    expect(run.state.chains.main?.limit).toMatchObject({ tokens: 200_000, source: 'turn' });
  });
});

describe('the archives of a compaction', () => {
  const ids = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
  const [one = '', two = '', three = ''] = ids;

  it('are all listed by id in its event', () => {
    const run = nearlyFull();
    run.add('archive', { state: 'stored', archive: one, version: 'hook' });
    run.add('compaction', auto);
    const completed = run.add('archive', { state: 'stored', archive: two, version: 'completed' });
    expect(completed.amends?.detail).toMatchObject({
      archive: { archive: two, version: 'completed' },
      archives: [one, two],
    });
    const failed = run.add('archive', { state: 'failed', archive: three, reason: 'too large' });
    expect(failed.amends?.detail).toMatchObject({ archive: { archive: two }, archives: ids });
    expect(run.add('archive', { state: 'failed', archive: three }).amends).toBeNull();
  });

  it('wait for a compaction that is reported later', () => {
    const run = nearlyFull();
    run.add('archive', { state: 'stored', archive: one });
    run.add('archive', { state: 'failed', archive: two });
    const { events } = run.add('compaction', auto);
    const detail = events.find(({ kind }) => kind === 'compaction')?.detail;
    expect(detail).toMatchObject({ archive: { archive: one }, archives: [one, two] });
  });

  it('have no list if no archive has an id', () => {
    const before = nearlyFull();
    before.add('archive', { state: 'stored' });
    const [compaction] = before.add('compaction', auto).events;
    expect(compaction?.detail).toHaveProperty('archive');
    expect(compaction?.detail).not.toHaveProperty('archives');

    const behind = nearlyFull();
    behind.add('compaction', auto);
    const { amends } = behind.add('archive', { state: 'stored' });
    expect(amends?.detail).toHaveProperty('archive');
    expect(amends?.detail).not.toHaveProperty('archives');
  });

  it('are limited to the newest eight', () => {
    const run = nearlyFull();
    const many = Array.from({ length: 9 }, (_, n) => `00000000-0000-4000-8000-00000000000${n}`);
    run.add('compaction', auto);
    const steps = many.map((archive) => run.add('archive', { state: 'failed', archive }));
    expect(steps.at(-1)?.amends?.detail.archives).toEqual(many.slice(1));
  });
});

describe('a turn that precedes the announcement but arrives after it', () => {
  const announced = START + 10 * 60_000;
  const late = { at: announced - 5_000 };

  it('does not split announcement, archive and confirmation', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, { ...hook, at: announced });
    run.add('archive', { state: 'stored', trigger: 'auto', archive: 'kept' }, { ...hook, at: announced });
    run.add('turn', { usage: { input: 1, output: 1 }, contextTokens: 166_000 }, late);
    run.add('compaction', { ...auto, boundary: 'a', preTokens: 167_000 }, { at: announced + 60_000 });
    expect(run.events.filter(({ kind }) => kind === 'compaction')).toHaveLength(1);
    const memory = run.state.chains.main?.compactions;
    expect(memory).toMatchObject([
      { state: 'confirmed', boundary: 'a', detail: { usedBefore: 166_000, archive: { archive: 'kept' } } },
    ]);
  });

  it('does not detach an archive that waits for its compaction', () => {
    const run = nearlyFull();
    run.add('archive', { state: 'stored', trigger: 'auto', archive: 'kept' }, { ...hook, at: announced });
    run.add('turn', { usage: { input: 1, output: 1 }, contextTokens: 166_000 }, late);
    const { events } = run.add('compaction', auto, { at: announced + 60_000 });
    expect(events[0]?.detail).toMatchObject({ archive: { archive: 'kept' } });
  });

  it('separates announcement and archive from the compaction if the turn’s time is later', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, { ...hook, at: announced });
    run.add('turn', { usage: { input: 1, output: 1 }, contextTokens: 166_000 }, { at: announced + 1 });
    run.add('archive', { state: 'stored', trigger: 'auto', archive: 'kept' }, { ...hook, at: announced + 2 });
    run.add('turn', { usage: { input: 1, output: 1 }, contextTokens: 166_000 }, { at: announced + 3 });
    const { events } = run.add('compaction', auto, { at: announced + 60_000 });
    expect(events.map(({ kind }) => kind)).toEqual(['compaction']);
    expect(events[0]?.detail).not.toHaveProperty('archive');
  });
});

describe('announcement, archive and boundary id of a hook', () => {
  const at = (seconds: number) => ({ at: START + 600_000 + seconds * 1_000 });
  type Report = (run: FoldRun) => unknown;
  const ofHook: Report[] = [
    (run) => run.add('compaction', { trigger: 'auto', state: 'pending' }, { ...hook, ...at(0) }),
    (run) => run.add('archive', { state: 'stored', trigger: 'auto', archive: 'kept' }, { ...hook, ...at(0) }),
    (run) =>
      run.add('compaction', { trigger: 'auto', state: 'pending', boundary: 'a' }, { ...hook, ...at(62) }),
  ];
  const read = (contextTokens: number, seconds: number): Report => {
    return (run) => run.add('turn', { usage: { input: 1, output: 1 }, contextTokens }, at(seconds));
  };
  const ofWatch: Report[] = [
    read(165_000, -30),
    read(166_000, -2),
    (run) => run.add('compaction', { ...auto, boundary: 'a', preTokens: 167_000 }, at(60)),
    read(41_000, 70),
    read(42_000, 80),
  ];
  const mix = (a: readonly Report[], b: readonly Report[]): Report[][] => {
    const [first, ...rest] = a;
    const [other, ...others] = b;
    if (!first || !other) return [[...a, ...b]];
    return [
      ...mix(rest, b).map((order) => [first, ...order]),
      ...mix(a, others).map((order) => [other, ...order]),
    ];
  };
  const outcomeOf = (order: readonly Report[]) => {
    const run = nearlyFull();
    for (const report of order) report(run);
    const { compactions = [], context } = run.state.chains.main ?? {};
    return {
      events: run.kinds().filter((kind) => kind === 'compaction').length,
      compactions: compactions.map(({ state, boundary, detail: { archive } }) => [state, boundary, archive]),
      context: [context?.index, context?.mainTurns, context?.reading?.tokens],
    };
  };

  it('are one event with the compaction of a transcript in every order of arrival', () => {
    const orders = mix(ofHook, ofWatch);
    expect(orders).toHaveLength(56);
    for (const order of orders) {
      expect(outcomeOf(order)).toEqual({
        events: 1,
        compactions: [['confirmed', 'a', expect.objectContaining({ archive: 'kept' })]],
        context: [1, 2, 42_000],
      });
    }
  });

  it('are one event if the agent continues between announcement and boundary', () => {
    const [announce, keep, name] = ofHook as [Report, Report, Report];
    const [, before, confirm, ...after] = ofWatch as [Report, Report, Report];
    const order = [before, announce, keep, read(166_500, 20), name, confirm, ...after];
    expect(outcomeOf(order)).toMatchObject({
      events: 1,
      compactions: [['confirmed', 'a', { archive: 'kept' }]],
    });
  });

  it('belong to the right compaction if they arrive after two compactions', () => {
    const second: Report = (run) => run.add('compaction', { ...auto, boundary: 'b' }, at(120));
    const { compactions } = outcomeOf([...ofWatch, second, read(50_000, 130), ...ofHook]);
    expect(compactions).toEqual([
      ['confirmed', 'a', expect.objectContaining({ archive: 'kept' })],
      ['confirmed', 'b', undefined],
    ]);
  });

  it.each([
    ['with the boundary id of another source', { ...auto, boundary: 'b' }, sdk],
    ['without a boundary id', auto, hook],
    ['with another trigger', { trigger: 'manual', state: 'confirmed', boundary: 'b' }, hook],
  ] as const)('do not join a report %s after a later turn', (_report, later, source) => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, { ...hook, ...at(0) });
    run.add('turn', { usage: { input: 1, output: 1 } }, at(10));
    run.add('compaction', later, { ...source, ...at(20) });
    expect(run.kinds().filter((kind) => kind === 'compaction')).toHaveLength(2);
  });

  it.each([
    [-31, undefined],
    [-30, 'kept'],
    [60, 'kept'],
    [61, undefined],
  ])('include a late archive dated between last turn and boundary, at %i s: %s', (seconds, kept) => {
    const run = nearlyFull();
    read(165_000, -30)(run);
    for (const report of ofWatch.slice(2)) report(run);
    run.add('archive', { state: 'stored', trigger: 'auto', archive: 'kept' }, { ...hook, ...at(seconds) });
    expect(run.state.chains.main?.compactions[0]?.detail.archive?.archive).toBe(kept);
  });
});
