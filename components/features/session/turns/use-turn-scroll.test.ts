import { expect, it } from 'vitest';
import { MOST_PX, scrollRatio } from './use-turn-scroll';

it('moves rows pixel by pixel until they are higher than an element may be', () => {
  expect(scrollRatio(1_000, 400)).toBe(1);
  expect(scrollRatio(MOST_PX, 400)).toBe(1);
});

it('reaches both ends of a million turns', () => {
  const rowsPx = 26_000_000;
  const ratio = scrollRatio(rowsPx, 400);
  expect(ratio).toBeGreaterThan(2);
  expect((MOST_PX - 400) * ratio).toBeCloseTo(rowsPx - 400, 3);
});
