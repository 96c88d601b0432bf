import { afterEach, expect, it, vi } from 'vitest';
import { readByOldNames, shareOfPercent, takeOldNames } from './old-names';

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
