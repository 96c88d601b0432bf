import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import type { RolledUp } from '../../db/history/roll-up';
import type { Rounds } from '../start-rounds';
import { startHistoryWorker } from './history-worker';

const log = pino({ level: 'silent' });
const nothing: RolledUp = { changes: 0, isMore: false };

let worker: Rounds | undefined;
afterEach(() => worker?.close());

test('it goes on at once while more waits than one look takes', async () => {
  const looks: RolledUp[] = [
    { changes: 5, isMore: true },
    { changes: 5, isMore: true },
    { changes: 2, isMore: false },
  ];
  const rollUp = vi.fn(() => Promise.resolve(looks.shift() ?? nothing));
  worker = startHistoryWorker({ rollUp, log, intervalMs: 60_000 });
  await vi.waitFor(() => expect(rollUp).toHaveBeenCalledTimes(3));
});

test('it looks again after a failure, and after a look that found nothing', async () => {
  const looks = [() => Promise.reject(new Error('away')), () => Promise.resolve(nothing)];
  const rollUp = vi.fn(() => (looks.shift() ?? (() => Promise.resolve(nothing)))());
  worker = startHistoryWorker({ rollUp, log, intervalMs: 1 });
  await vi.waitFor(() => expect(rollUp.mock.calls.length).toBeGreaterThan(2));
});

test('it ends after the look that is at work, however much waits', async () => {
  let finish: (rolled: RolledUp) => void = () => undefined;
  const rollUp = vi.fn(
    () =>
      new Promise<RolledUp>((resolve) => {
        finish = resolve;
      }),
  );
  worker = startHistoryWorker({ rollUp, log, intervalMs: 1 });
  const closed = worker.close();
  finish({ changes: 1, isMore: true });
  await closed;
  expect(rollUp).toHaveBeenCalledTimes(1);
});
