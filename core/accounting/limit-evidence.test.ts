import { describe, expect, it } from 'vitest';
import { emptyChain, emptySessionFold } from './empty-fold';
import { FoldRun, foldCorrected, START, snapshotRun } from './fold-testing';
import { lastCorrectionBy, nameModel, resolveLimit, stateLimit } from './limit';
import { summarizeSession } from './summarize-session';
import { DEFAULT_THRESHOLDS } from './thresholds';

const limitOf = (step: ReturnType<FoldRun['turn']>) => [step.turn?.limit, step.turn?.limitSource];

describe('stated limits', () => {
  const modelOf = (n: number) => `model-${n}`;

  it('are remembered for 32 models of a chain, and the oldest is dropped first', () => {
    const chain = emptyChain();
    for (let n = 1; n <= 32; n += 1) stateLimit(chain, modelOf(n), n * 1_000);
    expect(Object.keys(chain.statedLimits)).toHaveLength(32);
    stateLimit(chain, modelOf(33), 33_000);
    expect(Object.keys(chain.statedLimits)).toHaveLength(32);
    expect(chain.statedLimits).not.toHaveProperty(modelOf(1));
    expect(chain.statedLimits[modelOf(2)]?.tokens).toBe(2_000);
    expect(chain.statedLimits[modelOf(33)]?.tokens).toBe(33_000);
  });

  it('replace only the earlier limit of the same model', () => {
    const chain = emptyChain();
    for (let n = 1; n <= 32; n += 1) stateLimit(chain, modelOf(n), n * 1_000);
    stateLimit(chain, modelOf(9), 1);
    expect(Object.keys(chain.statedLimits)).toHaveLength(32);
    expect(chain.statedLimits).toMatchObject({
      [modelOf(1)]: { tokens: 1_000 },
      [modelOf(9)]: { tokens: 1 },
    });
  });

  it('apply to any model until a turn names a model', () => {
    const chain = emptyChain();
    stateLimit(chain, null, 90_000);
    expect(chain.statedLimits).toEqual({ '': { tokens: 90_000, source: 'client', own: true } });
    const anyModel = resolveLimit(emptySessionFold(), chain, 'a', undefined);
    expect(anyModel).toEqual({ tokens: 90_000, source: 'client', at: null });
    nameModel(chain, 'a');
    expect(chain.statedLimits).toEqual({ a: { tokens: 90_000, source: 'client', own: true } });
  });

  it('for a model outrank a limit stated without a model', () => {
    const chain = emptyChain();
    stateLimit(chain, 'a', 170_000);
    stateLimit(chain, null, 90_000);
    nameModel(chain, 'a');
    expect(chain.statedLimits).toEqual({ a: { tokens: 170_000, source: 'client', own: true } });
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
    const step = run.reads(200_000, { model: larger });
    expect(limitOf(step)).toEqual([200_000, 'table']);
    expect(step.corrects).toBeNull();
  });

  it('may exceed the model’s larger window', () => {
    const run = snapshotRun();
    expect(limitOf(run.reads(1_200_000, { model: larger }))).toEqual([2_000_000, 'learned']);
  });

  it('belongs to the model that it was learned for', () => {
    const run = snapshotRun();
    run.reads(260_000, { model: larger });
    expect(limitOf(run.reads(20_000, { model: 'claude-haiku-4-5' }))).toEqual([200_000, 'table']);
    expect(limitOf(run.reads(20_000, { model: larger }))).toEqual([1_000_000, 'learned']);
  });

  it('of a session without a model belongs to the readings without a model', () => {
    const run = new FoldRun();
    const step = run.add('turn', { usage: { input: 5 }, contextTokens: 230_000 });
    expect(limitOf(step)).toEqual([1_000_000, 'learned']);
    expect(Object.keys(run.state.chains.main?.learned ?? {})).toEqual(['']);
    expect(limitOf(run.reads(10, { model: 'claude-opus-4-5' }))).toEqual([200_000, 'table']);
  });

  it('never replaces a stated limit, and is replaced by one', () => {
    const run = snapshotRun();
    run.reads(10, { model: larger, limit: 200_000 });
    expect(run.reads(260_000, { model: larger }).corrects).toBeNull();
    const learned = snapshotRun();
    learned.reads(260_000, { model: larger });
    expect(limitOf(learned.reads(260_000, { model: larger, limit: 500_000 }))).toEqual([500_000, 'turn']);
    expect(limitOf(learned.reads(270_000, { model: larger }))).toEqual([500_000, 'client']);
  });
});

describe('the correction of a refuted limit', () => {
  const model = 'claude-sonnet-4-5';
  const correct = (run: FoldRun) => foldCorrected(run.inputs, run.context);
  const limitsOf = (run: FoldRun) =>
    correct(run).steps.flatMap(({ turn }) => (turn === null ? [] : [[turn.limit, turn.limitSource]]));
  const learned = [1_000_000, 'learned'];

  it('names the first item of the limit, the reading and the window', () => {
    const run = snapshotRun();
    run.reads(150_000, { model });
    run.reads(190_000, { model });
    const { corrects } = run.reads(260_000, { model });
    expect(corrects).toEqual({
      chain: 'main',
      since: 2,
      by: 4,
      at: START + 4 * 60_000,
      readingTokens: 260_000,
      tokens: 1_000_000,
    });
  });

  it('gives the pressure, states and events of a session that stated the window', () => {
    const sizes = [30_000, 150_000, 175_000, 190_000, 199_000, 260_000, 600_000, 910_000, 1_050_000];
    const assumed = snapshotRun(1_000_000);
    const refuted = snapshotRun();
    for (const run of [assumed, refuted]) for (const size of sizes.slice(0, 8)) run.reads(size, { model });
    const { state, steps } = correct(refuted);
    expect(steps.slice(1).map(({ turn }) => turn?.limit)).toEqual(sizes.slice(0, 8).map(() => 1_000_000));
    expect(steps.flatMap(({ events }) => events).slice(1)).toEqual(assumed.events);
    expect(summarizeSession(state, DEFAULT_THRESHOLDS)).toEqual({
      ...summarizeSession(assumed.state, DEFAULT_THRESHOLDS),
      limitSource: 'learned',
    });
  });

  it('reaches back to the last change of model and keeps that step', () => {
    const run = snapshotRun();
    run.reads(150_000, { model: 'claude-haiku-4-5' });
    run.reads(160_000, { model });
    run.reads(260_000, { model });
    expect(limitsOf(run)).toEqual([[200_000, 'table'], learned, learned]);
  });

  it('reaches back to the session’s start if the start named the model', () => {
    const run = new FoldRun();
    run.add('session_start', { lens: 'snapshot', model });
    run.reads(150_000);
    expect(run.reads(260_000).corrects).toMatchObject({ since: 1 });
  });

  it('reaches back to the last statement and keeps that step', () => {
    const run = snapshotRun();
    run.reads(150_000, { model });
    run.reads(150_000, { model: 'b', limit: 180_000 });
    run.reads(160_000, { model });
    run.reads(260_000, { model });
    expect(limitsOf(run)).toEqual([[200_000, 'table'], [180_000, 'turn'], learned, learned]);
  });

  it('reaches back across a compaction, which keeps the limit', () => {
    const run = snapshotRun();
    run.reads(150_000, { model });
    run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 160_000 });
    run.reads(30_000, { model });
    run.reads(260_000, { model });
    expect(limitsOf(run)).toEqual([learned, learned, learned]);
    // The window did not change, so the observed compaction point stays.
    expect(correct(run).state.chains.main?.compactedAt).toEqual([160_000]);
  });

  it('is repeated when a reading exceeds the corrected limit', () => {
    const run = snapshotRun();
    for (const size of [150_000, 260_000, 1_100_000, 2_100_000, 2_200_000]) run.reads(size, { model });
    expect(limitsOf(run)).toEqual(Array.from({ length: 5 }, () => [4_000_000, 'learned']));
    expect(correct(run).steps.map(({ turn }) => turn?.flags.readingIgnored)).not.toContain(true);
    expect(correct(run).state.corrections).toEqual([]);
  });

  it('belongs to its chain', () => {
    const run = snapshotRun();
    run.reads(150_000, { model });
    run.reads(150_000, { model, chain: 'agent-1' });
    run.reads(260_000, { model, chain: 'agent-1' });
    expect(limitsOf(run)).toEqual([[200_000, 'table'], learned, learned]);
    run.reads(270_000, { model });
    expect(limitsOf(run)).toEqual([learned, learned, learned, learned]);
  });

  it('is identified by the position of its last reading, even before it applies', () => {
    const run = snapshotRun();
    expect(lastCorrectionBy(run.state)).toBe(-1);
    run.reads(150_000, { model });
    const { corrects } = run.reads(260_000, { model });
    expect(lastCorrectionBy(run.state)).toBe(3);
    const waiting = { ...emptySessionFold(), corrections: corrects ? [corrects] : [] };
    expect(lastCorrectionBy(waiting)).toBe(3);
  });
});

describe('a statement that differs from an estimate of the same model', () => {
  const model = 'claude-sonnet-4-5';
  const folded = (run: FoldRun) => {
    const { steps } = foldCorrected(run.inputs, run.context);
    return {
      limits: steps.flatMap(({ turn }) => (turn === null ? [] : [turn.limit])),
      kinds: steps.flatMap(({ events }) => events.map(({ kind }) => kind)),
    };
  };

  it.each(['client', 'status_line', 'api_error'] as const)(
    'corrects the estimate if its source is %s',
    (limitSource) => {
      const run = snapshotRun();
      run.reads(150_000, { model });
      run.reads(190_000, { model });
      run.add('reading', { contextTokens: 191_000, limit: 1_000_000, limitSource });
      expect(limitOf(run.reads(192_000, { model }))).toEqual([1_000_000, limitSource]);
      const { limits, kinds } = folded(run);
      expect(limits).toEqual([1_000_000, 1_000_000, 1_000_000, 1_000_000]);
      expect(kinds).toEqual(['session_started']);
    },
  );

  it('corrects the estimate if it holds for the whole session', () => {
    const run = snapshotRun();
    run.reads(150_000, { model });
    run.add('session_start', { limit: 1_000_000 });
    expect(folded(run)).toEqual({ limits: [1_000_000], kinds: ['session_started'] });
  });

  it('corrects the estimate if the project’s settings state it', () => {
    const run = snapshotRun();
    run.reads(100_000, { model: 'made-up' });
    run.context.windows = { 'made-up': 128_000 };
    const { corrects } = run.reads(110_000, { model: 'made-up' });
    expect(corrects).toMatchObject({ since: 2, tokens: 128_000 });
  });

  it('may be refuted by an earlier reading; a larger window then applies up to the statement', () => {
    const run = snapshotRun();
    run.reads(100_000, { model: 'gpt-4o' });
    run.reads(190_000, { model: 'gpt-4o' });
    run.add('reading', { contextTokens: 100_000, limit: 150_000, limitSource: 'status_line' });
    const { limits, kinds } = folded(run);
    expect(limits).toEqual([200_000, 200_000, 150_000]);
    expect(kinds.filter((kind) => kind === 'window_changed')).toEqual(['window_changed']);
  });
});

describe('a client’s statement', () => {
  const model = 'claude-fable-5';
  const shows = (contextTokens: number, limit = 200_000) =>
    ['reading', { contextTokens, limit, limitSource: 'status_line', model }, { source: 'hook' }] as const;
  const calls = (contextTokens: number, output = 180) =>
    ['turn', { usage: { input: contextTokens - output, output }, contextTokens, model }] as const;
  type Given = ReturnType<typeof shows> | ReturnType<typeof calls>;
  const fold = (items: readonly Given[], run = snapshotRun()) => {
    for (const [type, fields, input] of items) run.add(type, fields as never, input);
    const { state, steps } = foldCorrected(run.inputs, run.context);
    const events = steps.flatMap((step) => step.events).filter(({ kind }) => kind !== 'session_started');
    return {
      summary: summarizeSession(state, DEFAULT_THRESHOLDS),
      kinds: events.map(({ kind }) => kind),
      limits: steps.flatMap(({ turn }) => (turn === null ? [] : [turn.limit])),
    };
  };

  it('is refuted by a call above it, in any order of its reports, from its first item on', () => {
    const [a, b, one, two] = [calls(161_106, 210), calls(219_910), shows(161_106), shows(219_910)];
    const orders = [
      [a, one, b, two],
      [a, b, one, two],
      [one, two, a, b],
      [one, a, two, b],
      [a, one, two, b],
      [one, a, b, two],
    ];
    for (const order of orders) {
      const { summary, kinds, limits } = fold(order);
      expect(summary).toMatchObject({ used: 219_910, limit: 1_000_000, pressure: 0.21991, state: 'nominal' });
      expect(kinds).toEqual([]);
      expect(limits).toEqual([1_000_000, 1_000_000, 1_000_000, 1_000_000]);
    }
  });

  it('stays refuted if it is repeated, until the client states a larger window', () => {
    const given = [
      shows(150_000),
      calls(219_910),
      shows(30_000),
      shows(31_000, 180_000),
      shows(32_000, 500_000),
    ];
    const { limits, kinds } = fold(given);
    expect(limits).toEqual([1_000_000, 1_000_000, 1_000_000, 1_000_000, 500_000]);
    expect(kinds).toEqual(['window_changed']);
  });

  it('is followed by the smallest window that holds the call, if the table has none', () => {
    const run = snapshotRun();
    run.reads(100_000, { model: 'made-up', limit: 128_000, limitSource: 'client' });
    expect(limitOf(run.reads(140_000, { model: 'made-up' }))).toEqual([200_000, 'learned']);
  });

  it('is refuted by the prompt, not by its output', () => {
    const [stated, above] = [shows(100_000), calls(219_910, 20_000)];
    expect(fold([stated, above]).limits).toEqual([200_000, 200_000]);
    expect(fold([stated, calls(200_001, 0)]).limits).toEqual([1_000_000, 1_000_000]);
    // A reading without a call may include an output of 5 %.
    expect(fold([stated, shows(210_000)]).limits).toEqual([200_000, 200_000]);
    expect(fold([stated, shows(211_000)]).limits).toEqual([1_000_000, 1_000_000]);
  });

  it('of Codex is 95 % of its window', () => {
    const run = snapshotRun();
    run.add('session_start', { client: 'codex' });
    const codex = { model: 'gpt-5.2-codex', limit: 258_400, limitSource: 'client' } as const;
    expect(limitOf(run.reads(272_001, codex))).toEqual([258_400, 'client']);
    expect(limitOf(run.reads(272_002, codex))[1]).toBe('learned');
  });

  it.each([
    ['the runner', { limit: 100_000 }],
    ['an error of the API', { limit: 100_000, limitSource: 'api_error' }],
  ] as const)('of %s is never refuted', (_, stated) => {
    const run = snapshotRun();
    run.reads(90_000, { model, ...stated });
    expect(run.reads(150_000, { model }).turn?.limit).toBe(100_000);
    expect(run.reads(160_000, { model, ...stated }).turn?.limit).toBe(100_000);
  });

  it('is not refuted by an estimate, a side call or another chain', () => {
    const run = snapshotRun();
    const sizes = { usage: { input: 1, output: 1 }, contextTokens: 300_000, model };
    run.add(...shows(100_000));
    run.add('turn', { ...sizes, basis: 'estimate' });
    run.add('turn', { ...sizes, scope: 'side' });
    run.add('turn', { ...sizes, chain: 'agent-1' });
    expect(run.reads(101_000, { model }).turn?.limit).toBe(200_000);
  });

  it('gives way to the session’s own window', () => {
    const { limits } = fold([shows(100_000), calls(219_910)], snapshotRun(150_000));
    expect(limits).toEqual([150_000, 150_000]);
  });
});

it('a cumulative sum above a client’s statement does not refute it', () => {
  const run = new FoldRun();
  const stated = { limit: 1_000, limitSource: 'client' } as const;
  expect(run.turn([900, 900], stated).turn).toMatchObject({ limit: 1_000, usedCumulative: 1_800 });
  expect(run.turn([900, 900], stated).turn).toMatchObject({ limit: 1_000, usedCumulative: 3_600 });
});

describe('a change of the window', () => {
  const changes = (run: FoldRun) => run.events.filter(({ kind }) => kind === 'window_changed');

  it.each([
    ['table', 'turn', {}],
    ['client', 'client', { limit: 200_000, limitSource: 'client' }],
  ] as const)(
    'is an event with both windows and their sources: after %s, by %s',
    (fromSource, source, first) => {
      const run = snapshotRun();
      const model = 'claude-sonnet-4-5';
      run.reads(150_000, { model, ...first });
      run.reads(160_000, { model, limit: 1_000_000, ...(source === 'client' && { limitSource: source }) });
      run.reads(170_000, { model, ...(source === 'turn' && { limit: 1_000_000 }) });
      const detail = { from: 200_000, fromSource, to: 1_000_000, source, model };
      expect(changes(run)).toMatchObject([{ at: START + 3 * 60_000, turn: 2, detail }]);
      expect(
        foldCorrected(run.inputs, run.context)
          .steps.flatMap(({ events }) => events)
          .slice(1),
      ).toEqual(run.events);
    },
  );

  it('is an event if another model has another window, and none if its window is equal', () => {
    const run = snapshotRun();
    run.reads(10, { model: 'claude-haiku-4-5' });
    run.reads(20, { model: 'claude-sonnet-4-5' });
    expect(changes(run)).toEqual([]);
    run.reads(30, { model: 'gpt-5.4' });
    expect(changes(run)).toMatchObject([{ detail: { from: 200_000, to: 1_050_000, model: 'gpt-5.4' } }]);
  });

  it('is an event after the boundary of a context without a turn', () => {
    const run = snapshotRun();
    run.reads(10, { limit: 200_000 });
    run.add('clear', {});
    run.reads(20, { limit: 1_000_000 });
    expect(changes(run)).toMatchObject([{ context: 1 }]);
  });

  it('is no event before the first turn, or if a reading or statement corrects an estimate', () => {
    const first = snapshotRun();
    first.add('session_start', { model: 'claude-sonnet-4-5' });
    first.reads(10, { limit: 1_000_000 });
    expect(changes(first)).toEqual([]);
    const learned = snapshotRun();
    learned.reads(10, { model: 'claude-sonnet-4-5' });
    learned.reads(260_000);
    expect(changes(learned)).toEqual([]);
  });
});

describe('the time of a limit', () => {
  const minute = (n: number) => START + n * 60_000;
  const timeOf = (run: FoldRun) => run.state.chains.main?.limit.at;

  it('is the time of its first item', () => {
    const run = snapshotRun();
    expect(timeOf(run)).toBeNull();
    run.reads(10, { model: 'claude-opus-4-5' });
    run.reads(20, { model: 'claude-opus-4-5' });
    expect(timeOf(run)).toBe(minute(2));
    run.reads(30, { limit: 200_000 });
    expect(timeOf(run)).toBe(minute(4));
    run.reads(40);
    expect(timeOf(run)).toBe(minute(4));
    run.reads(50, { limit: 300_000 });
    expect(timeOf(run)).toBe(minute(6));
  });
});

describe('observed compaction points', () => {
  const compactedAt = (run: FoldRun) => run.state.chains.main?.compactedAt;

  it('are dropped when the window changes', () => {
    const run = snapshotRun(200_000);
    run.reads(160_000);
    run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 167_000 });
    run.reads(20_000, { limit: 200_000 });
    expect(compactedAt(run)).toEqual([167_000]);
    run.reads(30_000, { limit: 1_000_000 });
    expect(compactedAt(run)).toEqual([]);
  });

  it('stay when a limit becomes known', () => {
    const run = snapshotRun();
    run.reads(160_000);
    run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 167_000 });
    run.reads(20_000, { limit: 200_000 });
    expect(compactedAt(run)).toEqual([167_000]);
  });
});
