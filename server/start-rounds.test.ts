import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { startRounds } from './start-rounds';

const options = { failure: 'the step failed', log: pino({ level: 'silent' }) };

let worker: ReturnType<typeof startRounds> | undefined;
afterEach(() => worker?.close());

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
