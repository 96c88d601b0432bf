import { describe, expect, it } from 'vitest';
import { prepareSizes } from './prepare-sizes';
import { callOf, outlineOf } from './testing/outline';

/** @param sizes entry, context and chain of each call, of which the last 200 tokens are output */
function sizesOf(sketch: string, sizes: [number, number, number?][]): string {
  const found = prepareSizes(outlineOf(sketch, { calls: sizes.map((size) => callOf(...size)) }));
  return [...found].map(([row, { tokens, change }]) => `${row}: ${tokens} ${change ?? 'first'}`).join(', ');
}

describe('the size beside a message', () => {
  it.each<[string, string, [number, number, number?][], string]>([
    [
      'counts a tool result at its call',
      'user tool_call:0>2 tool_result>1 tool_call:1>4 tool_result>3 assistant:2',
      [
        [1, 20_000],
        [3, 50_000],
        [5, 51_000],
      ],
      '0: 19800 first, 1: 49800 30000, 3: 50800 1000, 5: 51000 200',
    ],
    [
      'counts a message of the person at the message, once',
      'assistant:0 user user assistant:1',
      [
        [0, 20_000],
        [3, 30_000],
      ],
      '0: 20000 200, 2: 29800 9800, 3: 30000 200',
    ],
    [
      'starts over after a compaction, and for each sub-agent',
      'assistant:0 user@1 assistant@1:1 assistant:2 compaction user assistant:3 assistant@1:4',
      [
        [0, 20_000],
        [2, 5_000, 1],
        [3, 90_000],
        [6, 30_000],
        [7, 8_000, 1],
      ],
      '0: 89800 70000, 1: 4800 first, 2: 7800 3000, 3: 90000 200, 5: 29800 first, 6: 30000 200, 7: 8000 200',
    ],
    ['has none without usage', 'user assistant:0', [[1, 0]], ''],
  ])('%s', (_, sketch, sizes, expected) => {
    expect(sizesOf(sketch, sizes)).toBe(expected);
  });

  it('adds up: each size is the one before plus its change', () => {
    const calls = [callOf(0, 20_000), callOf(3, 50_000), callOf(4, 49_000)];
    const sizes = prepareSizes(
      outlineOf('tool_call:0>1 tool_result>0 user assistant:1 assistant:2', { calls }),
    );
    const [, ...rest] = [...sizes.entries()].sort(([a], [b]) => a - b).map(([, size]) => size);
    let last = sizes.get(0)?.tokens ?? 0;
    for (const { tokens, change } of rest) {
      expect(last + (change ?? 0)).toBe(tokens);
      last = tokens;
    }
    expect(last).toBe(49_000);
  });
});
