import { expect, it } from 'vitest';
import { gapForRefusedTurn } from './apply-session';
import { isAtLeast } from './empty-fold';

it('transcript speaks over SDK, SDK over hook, hook over OTLP, and each over itself', () => {
  const order = ['transcript', 'sdk', 'hook', 'otlp'] as const;
  const table = order.map((source) => order.map((other) => isAtLeast(source, other)));
  expect(table).toEqual([
    [true, true, true, true],
    [false, true, true, true],
    [false, false, true, true],
    [false, false, false, true],
  ]);
});

it('a refused turn leaves a gap of one in its place, on its chain', () => {
  const refused = { seq: 7, session: 's', at: 5 };
  const gap = { type: 'gap', ...refused, from: 7, to: 7, count: 1, reason: 'refused: sum_overflow' };
  expect(gapForRefusedTurn(refused, 'sum_overflow')).toStrictEqual(gap);
  expect(gapForRefusedTurn({ ...refused, chain: 'agent-1' }, 'sum_overflow')).toStrictEqual({
    ...gap,
    chain: 'agent-1',
  });
});
