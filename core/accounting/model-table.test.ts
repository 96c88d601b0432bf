import { describe, expect, it } from 'vitest';
import { findModelWindow, MODEL_WINDOWS } from './model-table';

const windowOf = (model: string) => {
  const found = findModelWindow(model);
  return found === null ? null : [found.tokens, found.larger];
};

describe('the window of a model', () => {
  it.each([
    ['claude-sonnet-4-5[1m]', 1_000_000, null],
    ['claude-anything[1m]', 1_000_000, null],
    ['claude-3-opus-20240229', 200_000, null],
    ['claude-3', 200_000, null],
    ['claude-3-5-haiku-20241022', 200_000, null],
    ['claude-haiku-4-5', 200_000, null],
    ['claude-haiku-4-5-20251001', 200_000, null],
    ['claude-opus-4', 200_000, null],
    ['claude-opus-4-0', 200_000, null],
    ['claude-opus-4-5', 200_000, null],
    ['us.anthropic.claude-opus-4-5-20251101', 200_000, null],
    ['anthropic/claude-sonnet-4-5-20250929[1m]', 1_000_000, null],
    ['claude-opus-4-20250514', 200_000, null],
    ['claude-opus-4-1-20250805', 200_000, null],
    ['claude-sonnet-4', 200_000, 1_000_000],
    ['claude-sonnet-4-5-20250929', 200_000, 1_000_000],
    ['claude-sonnet-4-20250514', 200_000, 1_000_000],
    ['claude-opus-4-6', 200_000, 1_000_000],
    ['claude-sonnet-4-8', 200_000, 1_000_000],
    ['claude-sonnet-4-6-20260101', 200_000, 1_000_000],
    ['claude-opus-5', 1_000_000, null],
    ['claude-sonnet-5-1', 1_000_000, null],
    ['claude-fable-5-20260801', 1_000_000, null],
    ['claude-fable-5-2-20260801', 1_000_000, null],
  ])('of %s is %i tokens, optionally %s', (model, tokens, larger) => {
    expect(windowOf(model)).toEqual([tokens, larger]);
  });

  it.each([
    'my-claude-x[1m]',
    'claude-x[1m]x',
    'claude-x[2m]',
    'claude-30',
    'xclaude-3-opus',
    'claude-haiku-4-50',
    'claude-haiku-4',
    'claude-opus-4-9',
    'claude-opus-4-55',
    'claude-opus-4-5-1',
    'claude-opus-4-5-3025',
    'claude-opus-4-5-202505141',
    'claude-opus-4-5-2025051',
    'claude-sonnet-4-9',
    'claude-sonnet-4-5x',
    'claude-sonnet-4-x',
    'claude-haiku-4-6',
    'claude-opus-4-6-latest',
    'claude-haiku-5',
    'my-claude-haiku-4-5',
    'my-claude-opus-4-5',
    'my-claude-sonnet-4-5',
    'my-claude-opus-4-6',
    'my-claude-opus-5',
    'my-claude-3-opus',
    'claude-opus-5-x',
    'claude-opus-5-11',
    'claude-opus-55',
    'claude-opus-6',
    'opus-4-5',
    'gpt-4o',
    'constructor',
    '',
  ])('is unknown for %s', (model) => {
    expect(windowOf(model)).toBeNull();
  });

  it.each([
    'anthropic/claude-opus-4-5',
    'us.anthropic.claude-opus-4-5',
    'a/b.c/claude-opus-4-5',
    'CLAUDE-Opus-4-5',
  ])('is the same for %s, with any provider prefix and in any case', (model) => {
    expect(windowOf(model)).toEqual([200_000, null]);
  });

  it('is found after lookups of many other names', () => {
    for (let n = 0; n < 1_200; n += 1) expect(windowOf(`made-up-${n}`)).toBeNull();
    expect(windowOf('claude-opus-4-6')).toEqual([200_000, 1_000_000]);
    expect(windowOf('claude-opus-4-6')).toEqual([200_000, 1_000_000]);
    expect(windowOf('made-up-1')).toBeNull();
  });
});

describe('the table of models', () => {
  it('has a readable name for each line', () => {
    expect(MODEL_WINDOWS.map(({ models }) => models)).toEqual([
      'claude-…[1m]',
      'claude-3…',
      'claude-haiku-4-5',
      'claude-opus-4 to 4-5',
      'claude-sonnet-4 to 4-5',
      'claude-opus-4-6 to 4-8, claude-sonnet-4-6 to 4-8',
      'claude-opus-5…, claude-sonnet-5…, claude-fable-5…',
    ]);
  });
});
