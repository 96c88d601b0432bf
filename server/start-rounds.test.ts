import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { startRounds } from './start-rounds';

const options = { task: 'test', failure: 'the step failed', log: pino({ level: 'silent' }) };

let worker: ReturnType<typeof startRounds> | undefined;
afterEach(async () => {
  await worker?.close();
  vi.useRealTimers();
});

test('repeats the step at once while more work waits', async () => {
  const answers = [true, true, false];
  const step = vi.fn(() => Promise.resolve(answers.shift() ?? false));
  worker = startRounds({ work: step, ...options, intervalMs: 60_000 });
  await vi.waitFor(() => expect(step).toHaveBeenCalledTimes(3));
});

test('starts another round after a failure and after a round without work', async () => {
  const answers = [() => Promise.reject(new Error('away')), () => Promise.resolve(false)];
  const step = vi.fn(() => (answers.shift() ?? (() => Promise.resolve(false)))());
  worker = startRounds({ work: step, ...options, intervalMs: 1 });
  await vi.waitFor(() => expect(step.mock.calls.length).toBeGreaterThan(2));
});

test('logs a repeated failure once, and again after a success', async () => {
  const answers = [true, true, false, true];
  const step = vi.fn(() => (answers.shift() ? Promise.reject(new Error('away')) : Promise.resolve()));
  const warn = vi.spyOn(options.log, 'warn');
  worker = startRounds({ work: step, ...options, intervalMs: 1 });
  await vi.waitFor(() => expect(step.mock.calls.length).toBeGreaterThan(4));
  expect(warn).toHaveBeenCalledTimes(2);
});

test('rests in proportion to the duration of the round', async () => {
  vi.useFakeTimers();
  const step = vi.fn(() => new Promise((resolve) => setTimeout(resolve, 100)));
  worker = startRounds({ work: step, ...options, intervalMs: 1, restFactor: 9 });
  await vi.advanceTimersByTimeAsync(999);
  expect(step).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(101);
  expect(step).toHaveBeenCalledTimes(2);
});

test('rests for at most half a minute, for instance after the database was away', async () => {
  vi.useFakeTimers();
  const step = vi.fn(() => new Promise((_, reject) => setTimeout(reject, 60_000, new Error('away'))));
  worker = startRounds({ work: step, ...options, intervalMs: 1, restFactor: 9 });
  await vi.advanceTimersByTimeAsync(90_000);
  expect(step).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(60_000);
});

test('ends after the current step, even if more work waits', async () => {
  let finish: (isMore: boolean) => void = () => undefined;
  const step = vi.fn(
    () =>
      new Promise<boolean>((resolve) => {
        finish = resolve;
      }),
  );
  worker = startRounds({ work: step, ...options, intervalMs: 1 });
  const closed = worker.close();
  finish(true);
  await closed;
  expect(step).toHaveBeenCalledTimes(1);
});
