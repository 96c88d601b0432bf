import { expect, it } from 'vitest';
import { MADE_AT, makeSession } from '../../format/testing/make-session';
import { chartFloor } from './mini-chart';

const at = (minutesAgo: number) => MADE_AT / 1_000 - minutesAgo * 60;
const high = makeSession(1, {
  used: 170_000,
  trace: [
    [at(20), 30_000, 0],
    [at(14), 110_000, 0],
    [at(3), 170_000, 0],
  ],
});

it.each([
  ['high sessions alone', [], 0.5],
  ['a low value at the left edge', [{ used: 160_000, trace: [[at(20), 60_000, 0]] }], 0],
  ['a low value after a compaction', [{ used: 150_000, trace: [[at(6), 41_000, 1]] }], 0],
  ['a low reading', [{ used: 60_000 }], 0],
  ['no limit', [{ limit: null }], 0],
] as const)(
  'starts the small charts at half of the limit for high sessions only: %s',
  (_name, others, floor) => {
    const sessions = others.map((fields, index) =>
      makeSession(index + 2, { ...fields, trace: [...('trace' in fields ? fields.trace : [])] as never }),
    );
    expect(chartFloor([high, ...sessions], MADE_AT)).toBe(floor);
  },
);
