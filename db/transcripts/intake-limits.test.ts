import { expect, it } from 'vitest';
import { createStoredMeter } from './intake-limits';

function start(stored: number) {
  const state = { stored, sums: 0, now: 0 };
  const meter = createStoredMeter(
    {
      measure: () => {
        state.sums += 1;
        return Promise.resolve(state.stored);
      },
    },
    { now: () => state.now },
  );
  /** Receive a chunk that compresses to a fourth. */
  async function take(bytes: number, limit: number): Promise<boolean> {
    if ((await meter.measure(1, limit)) >= limit) return false;
    meter.add(1, bytes);
    state.stored += bytes / 4;
    return true;
  }
  return { state, meter, take };
}

it('sums once for a thousand chunks far below the limit', async () => {
  const { state, take } = start(0);
  for (let n = 0; n < 1_000; n += 1) expect(await take(1_000, 1e9)).toBe(true);
  expect(state.sums).toBe(1);
});

it('sums again near the limit and refuses nothing below it', async () => {
  const { state, take } = start(0);
  let taken = 0;
  while (await take(1_000, 100_000)) taken += 1;
  expect(taken).toBe(400);
  expect(state.stored).toBe(100_000);
  expect(state.sums).toBeLessThan(40);
});

it('sees the changes of others after ten seconds, and at the limit at once', async () => {
  const { state, meter, take } = start(90);
  expect(await meter.measure(1, 100)).toBe(90);
  state.stored = 100;
  expect(await take(1, 100)).toBe(true);
  state.now = 10_000;
  expect(await take(1, 100)).toBe(false);
  state.stored = 10;
  expect(await take(1, 100)).toBe(true);
});

it('measures each project separately', async () => {
  const { state, meter } = start(5);
  await meter.measure(1, 100);
  await meter.measure(2, 100);
  meter.add(2, 50);
  expect(state.sums).toBe(2);
  expect(await meter.measure(1, 100)).toBe(5);
  expect(await meter.measure(2, 100)).toBe(55);
});
