import { afterEach, expect, it, vi } from 'vitest';
import { readByOldNames, shareOfPercent, takeOldNames } from './old-names';
import { ContextSnapshot } from './openai';
import { runWithRestarts } from './restart';
import { UsageProcessor } from './usage';

const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
afterEach(() => warnings.mockClear());

it('takes an option by its old name, with one hint', () => {
  const names = { threshold: 'restartLine' };
  expect(takeOldNames('Loop', { threshold: 0.5, name: 'a' }, names)).toEqual({ restartLine: 0.5, name: 'a' });
  expect(takeOldNames('Loop', { threshold: 0.5, restartLine: 0.7 }, names)).toEqual({ restartLine: 0.7 });
  expect(warnings.mock.calls).toEqual([
    [
      'Loop: "threshold" is now "restartLine". The old name is accepted until version 1.0.',
      { type: 'DeprecationWarning', code: 'BAROGRAPH_RENAMED' },
    ],
  ]);
});

it('converts the value of an old name', () => {
  const options = { targetPercent: 57.5 };
  expect(takeOldNames('Options', options, { targetPercent: ['target', shareOfPercent] })).toEqual({
    target: 0.575,
  });
  expect(options).toEqual({ targetPercent: 57.5 });
});

it('keeps options without old names as they are', () => {
  const options = { restartLine: 0.5 };
  expect(takeOldNames('Loop', options, { threshold: 'restartLine' })).toBe(options);
  expect(warnings).not.toHaveBeenCalled();
});

it('lets a result be read by an old name, outside of its JSON', () => {
  const outcome: { pressure: number; pressureRatio?: number } = readByOldNames(
    'Outcome',
    { pressure: 0.4 },
    {
      pressureRatio: 'pressure',
    },
  );
  expect(outcome.pressureRatio).toBe(0.4);
  expect(outcome).toEqual({ pressure: 0.4 });
  expect(JSON.stringify(outcome)).toBe('{"pressure":0.4}');
  expect(warnings).toHaveBeenCalledTimes(1);
});

it('takes and reads the old names of usage, snapshots and the restart loop', async () => {
  const processor = new UsageProcessor({ limit: 1_000, threshold: 0.5 });
  expect([processor.restartLine, processor.threshold]).toEqual([0.5, 0.5]);
  const first = processor.process({ type: 'result', usage: { input_tokens: 100, output_tokens: 100 } });
  expect([first.pressureRatio, processor.pressureRatio]).toEqual([0.2, 0.2]);
  expect(processor.usage.pressureRatio(1_000)).toBe(0.2);
  const full = { type: 'result', usage: { input_tokens: 300, output_tokens: 100 } };
  expect(() => processor.process(full)).toThrow(
    expect.objectContaining({ pressure: 0.6, pressureRatio: 0.6 }),
  );

  const snapshot = new ContextSnapshot({ contextMaxTokens: 1_000 });
  expect([snapshot.limit, snapshot.contextMaxTokens, snapshot.statedMaxTokens('m')]).toEqual([
    1_000, 1_000, 1_000,
  ]);

  const ratios: unknown[] = [];
  const agent = {
    async *start() {
      yield {
        sessionId: `s${ratios.length}`,
        usage: { input_tokens: ratios.length === 0 ? 600 : 1 },
        goesOn: ratios.length === 0,
      };
    },
    query: () => Promise.resolve({ text: '<checkpoint>Half done.</checkpoint>' }),
  };
  const { contexts } = await runWithRestarts({
    agent,
    prompt: 'p',
    limit: 1_000,
    threshold: 0.5,
    onRestart: ({ pressureRatio }) => ratios.push(pressureRatio),
  });
  expect([ratios, contexts.map(({ pressureRatio }) => pressureRatio)]).toEqual([[0.6], [0.6, 0.001]]);
  expect(warnings.mock.calls.map(([text]) => String(text).split('.')[0])).toEqual(
    expect.arrayContaining([
      'UsageProcessor: "threshold" is now "restartLine"',
      'ContextSnapshot: "contextMaxTokens" is now "limit"',
      'runWithRestarts: "threshold" is now "restartLine"',
      'RestartNotice: "pressureRatio" is now "pressure"',
    ]),
  );
});
