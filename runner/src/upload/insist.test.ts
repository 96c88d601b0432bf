import { expect, it } from 'vitest';
import { insist } from './insist';

/** A clock that the pauses move, and looks that find what is told beforehand. */
function insistWith(finds: (boolean | Error)[], untilMs: number) {
  const clock = { now: 0 };
  const pauses: number[] = [];
  const looksAt: number[] = [];
  const again = insist({
    until: untilMs,
    random: () => 1,
    now: () => clock.now,
    wait: (milliseconds) => {
      pauses.push(milliseconds);
      clock.now += milliseconds;
      return Promise.resolve();
    },
    look: () => {
      looksAt.push(clock.now);
      const found = finds.shift() ?? false;
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    },
  });
  return { again, pauses, looksAt };
}

it('looks again with pauses that double up to a minute, until nothing waits', async () => {
  const { again, pauses } = insistWith([true, true, true, true, true, false], 720_000);
  again.owe();
  await again.settled();
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

it('ends with its patience, however much waits', async () => {
  const { again, looksAt } = insistWith(
    Array.from({ length: 99 }, () => true),
    100_000,
  );
  again.owe();
  await again.settled();
  expect(looksAt).toEqual([5_000, 15_000, 35_000, 75_000]);
});

it('looks anew at what is owed after it had come to its end', async () => {
  const { again, looksAt } = insistWith([false, false], 720_000);
  again.owe();
  await again.settled();
  again.owe();
  await again.settled();
  expect(looksAt).toEqual([5_000, 10_000]);
});

it('does not look where nothing is owed', async () => {
  const { again, looksAt } = insistWith([], 720_000);
  await again.settled();
  expect(looksAt).toEqual([]);
});

it('tells what a look threw to whoever waits for the end', async () => {
  const { again } = insistWith([new Error('the index cannot be read')], 720_000);
  again.owe();
  await expect(again.settled()).rejects.toThrow('the index cannot be read');
});
