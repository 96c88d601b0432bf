import { expect, it } from 'vitest';
import { runInSlices } from './run-in-slices';

/** Work that holds the thread, piece by piece. */
function* work(pieces: number, pieceMs: number): Generator<undefined, string> {
  for (let piece = 0; piece < pieces; piece += 1) {
    const until = performance.now() + pieceMs;
    while (performance.now() < until);
    yield;
  }
  return 'done';
}

it('lets other tasks run between the pieces of long work', async () => {
  let others = 0;
  const timer = setInterval(() => {
    others += 1;
  });
  expect(await runInSlices(work(12, 6), new AbortController().signal)).toBe('done');
  clearInterval(timer);
  expect(others).toBeGreaterThan(1);
});

it('ends where nobody waits for the work any more', async () => {
  const abort = new AbortController();
  const running = runInSlices(work(1_000_000, 1), abort.signal);
  abort.abort(new Error('the page was left'));
  await expect(running).rejects.toThrow('the page was left');
});
