import { describe, expect, it } from 'vitest';
import { emptyChain, emptySessionFold } from './empty-fold';
import { type FoldRun, snapshotRun } from './fold-testing';
import { type Limit, learnFromCompaction, nameModel, refreshLimit, resolveLimit, stateLimit } from './limit';

const limitOf = (step: ReturnType<FoldRun['turn']>) => [step.turn?.limit, step.turn?.limitSource];
const compactAt = (run: FoldRun, preTokens: number) =>
  run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens });

describe('stated limits', () => {
  const modelOf = (n: number) => `model-${n}`;

  it('are remembered for 32 models of a chain, and the oldest is dropped first', () => {
    const chain = emptyChain();
    for (let n = 1; n <= 32; n += 1) stateLimit(chain, modelOf(n), n * 1_000);
    expect(Object.keys(chain.statedLimits)).toHaveLength(32);
    stateLimit(chain, modelOf(33), 33_000);
    expect(Object.keys(chain.statedLimits)).toHaveLength(32);
    expect(chain.statedLimits).not.toHaveProperty(modelOf(1));
    expect(chain.statedLimits).toMatchObject({ [modelOf(2)]: 2_000, [modelOf(33)]: 33_000 });
  });

  it('replace only the earlier limit of the same model', () => {
    const chain = emptyChain();
    for (let n = 1; n <= 32; n += 1) stateLimit(chain, modelOf(n), n * 1_000);
    stateLimit(chain, modelOf(9), 1);
    expect(Object.keys(chain.statedLimits)).toHaveLength(32);
    expect(chain.statedLimits).toMatchObject({ [modelOf(1)]: 1_000, [modelOf(9)]: 1 });
  });

  it('apply to any model until a turn names a model', () => {
    const chain = emptyChain();
    stateLimit(chain, null, 90_000);
    expect(chain.statedLimits).toEqual({ '': 90_000 });
    const anyModel = resolveLimit(emptySessionFold(), chain, 'a', undefined);
    expect(anyModel).toEqual({ tokens: 90_000, source: 'client' });
    nameModel(chain, 'a');
    expect(chain.statedLimits).toEqual({ a: 90_000 });
  });

  it('for a model outrank a limit stated without a model', () => {
    const chain = emptyChain();
    stateLimit(chain, 'a', 170_000);
    stateLimit(chain, null, 90_000);
    nameModel(chain, 'a');
    expect(chain.statedLimits).toEqual({ a: 170_000 });
  });

  it('are empty if no limit was stated', () => {
    const chain = emptyChain();
    nameModel(chain, 'a');
    nameModel(chain, undefined);
    expect(chain.model).toBe('a');
    expect(Object.keys(chain.statedLimits)).toEqual([]);
  });
});

describe('a learned limit', () => {
  const larger = 'claude-opus-4-6';

  it('needs a reading above the limit; a reading equal to the limit is not enough', () => {
    const run = snapshotRun();
    expect(limitOf(run.reads(200_000, { model: larger }))).toEqual([200_000, 'table']);
  });

  it('equals a reading above the model’s larger window', () => {
    const run = snapshotRun();
    expect(limitOf(run.reads(1_200_000, { model: larger }))).toEqual([1_200_000, 'learned']);
  });

  it('grows with a reading above the learned limit', () => {
    const run = snapshotRun();
    run.reads(100_000);
    compactAt(run, 167_471);
    expect(limitOf(run.reads(30_000))).toEqual([167_471, 'learned']);
    expect(limitOf(run.reads(180_000))).toEqual([180_000, 'learned']);
  });

  it('is the highest of several automatic compactions', () => {
    const chain = emptyChain();
    learnFromCompaction(chain, 150_000);
    learnFromCompaction(chain, 167_000);
    learnFromCompaction(chain, 160_000);
    expect(chain.learnedLimit).toBe(167_000);
  });

  it('replaces the table’s limit only if the learned limit is higher', () => {
    const run = snapshotRun();
    const model = 'claude-opus-4-5';
    run.reads(150_000, { model });
    compactAt(run, 200_000);
    expect(limitOf(run.reads(30_000, { model }))).toEqual([200_000, 'table']);
    compactAt(run, 200_001);
    expect(limitOf(run.reads(30_000, { model }))).toEqual([200_001, 'learned']);
  });
});

describe('observed compaction points', () => {
  function chainCompactedAt(limit: Limit) {
    const chain = emptyChain();
    chain.limit = limit;
    chain.compactedAt = [167_000];
    return chain;
  }

  it('are dropped when the window changes', () => {
    const chain = chainCompactedAt({ tokens: 200_000, source: 'session' });
    refreshLimit(emptySessionFold(), chain, 200_000);
    expect(chain.compactedAt).toEqual([167_000]);
    refreshLimit(emptySessionFold(), chain, 1_000_000);
    expect(chain.compactedAt).toEqual([]);
    expect(chain.limit).toEqual({ tokens: 1_000_000, source: 'turn' });
  });

  it('stay when a limit becomes known or is learned from them', () => {
    const unknown = chainCompactedAt({ tokens: null, source: 'none' });
    refreshLimit({ ...emptySessionFold(), sessionLimit: 200_000 }, unknown);
    expect(unknown.compactedAt).toEqual([167_000]);
    const learned = chainCompactedAt({ tokens: 150_000, source: 'learned' });
    learned.learnedLimit = 167_000;
    refreshLimit(emptySessionFold(), learned);
    expect(learned.limit).toEqual({ tokens: 167_000, source: 'learned' });
    expect(learned.compactedAt).toEqual([167_000]);
  });
});
