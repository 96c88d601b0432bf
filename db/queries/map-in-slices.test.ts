import { expect, it } from 'vitest';
import { mapInSlices } from './load-session';

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it('maps many rows in order and yields to other work', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const values = await mapInSlices([1, 2, 3, 4, 5, 6], (row) => {
    work(9);
    return row * 10;
  });
  clearInterval(timer);
  expect(values).toEqual([10, 20, 30, 40, 50, 60]);
  expect(turns).toBeGreaterThanOrEqual(4);
});

it('fails when one row fails, as `map` does', async () => {
  const failing = mapInSlices([1, 2], (row) => {
    if (row === 2) throw new Error('spoilt');
    return row;
  });
  await expect(failing).rejects.toThrow('spoilt');
});
