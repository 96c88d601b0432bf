import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import type { TouchedSession } from '../../db/ingest/types';
import type { Rounds } from '../start-rounds';
import { startRecomputeWorker } from './recompute-worker';

const log = pino({ level: 'silent' });
const slice = (version: number): TouchedSession => ({ id: 1, publicId: 'a', version });

let worker: Rounds | undefined;
afterEach(() => worker?.close());

test('it folds slice after slice while a session waits, and tells of each', async () => {
  const waiting = [slice(2), slice(3), slice(4)];
  const told: number[] = [];
  worker = startRecomputeWorker({
    continueOne: () => Promise.resolve(waiting.shift() ?? null),
    onCommitted: (touched) => told.push(...touched.map(({ version }) => version)),
    log,
    intervalMs: 60_000,
  });
  await vi.waitFor(() => expect(told).toEqual([2, 3, 4]));
});

test('it looks again after a failure, and after a look that found nothing', async () => {
  const answers = [() => Promise.reject(new Error('away')), () => Promise.resolve(null)];
  const told: number[] = [];
  let isFound = false;
  worker = startRecomputeWorker({
    continueOne: () => {
      const answer = answers.shift();
      if (answer) return answer();
      if (isFound) return Promise.resolve(null);
      isFound = true;
      return Promise.resolve(slice(7));
    },
    onCommitted: (touched) => told.push(...touched.map(({ version }) => version)),
    log,
    intervalMs: 1,
  });
  await vi.waitFor(() => expect(told).toEqual([7]));
});

test('it ends after the slice that is at work', async () => {
  let finish: (touched: TouchedSession) => void = () => undefined;
  const continueOne = vi.fn(
    () =>
      new Promise<TouchedSession | null>((resolve) => {
        finish = resolve;
      }),
  );
  const told: number[] = [];
  worker = startRecomputeWorker({
    continueOne,
    onCommitted: (touched) => told.push(...touched.map(({ version }) => version)),
    log,
  });
  const closed = worker.close();
  finish(slice(2));
  await closed;
  expect(told).toEqual([2]);
  expect(continueOne).toHaveBeenCalledTimes(1);
});
