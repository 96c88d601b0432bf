import { expect, it } from 'vitest';
import { createPace } from './throttle';

it('pauses a single feed in proportion to its reads, and never beyond the limit', () => {
  let time = 0;
  const pace = createPace(250, () => time);
  expect(pace(4)).toBe(8);
  time += 12;
  expect(pace(4)).toBe(8);
  time += 1_000;
  expect(pace(0)).toBe(0);
  expect(pace(100)).toBe(150);
  expect(pace(900)).toBeLessThanOrEqual(0);
});

it('lets many feeds together read as much as one', () => {
  let time = 0;
  const pace = createPace(250, () => time);
  const pauses = [1, 2, 3].map(() => pace(4));
  expect(pauses).toEqual([8, 16, 24]);
  for (let feed = 0; feed < 50; feed += 1) pace(4);
  expect(pace(4)).toBe(246);
  time += 250;
  expect(pace(4)).toBe(8);
});
