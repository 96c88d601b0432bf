/**
 * Run `task` on request, one run at a time, with a pause after each. Requests during a run or its pause cause one more
 * run afterwards.
 * @param pauseMs pause after a run that took so long, milliseconds
 */
export function createThrottle(task: () => Promise<void>, pauseMs: (tookMs: number) => number) {
  let state: 'resting' | 'running' | 'pausing' | 'stopped' = 'resting';
  let asked = false;
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    state = 'running';
    asked = false;
    const startedAt = performance.now();
    await task();
    if (isStopped()) return;
    state = 'pausing';
    timer = setTimeout(rest, Math.max(0, pauseMs(performance.now() - startedAt)));
  }

  function rest(): void {
    if (isStopped()) return;
    state = 'resting';
    if (asked) void run();
  }

  const isStopped = () => state === 'stopped';

  return {
    ask(): void {
      asked = true;
      if (state === 'resting') void run();
    },
    stop(): void {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
}

/** Milliseconds of pause per millisecond of reading: feeds use at most a third of the time of one connection. */
const PAUSE_FACTOR = 2;

/**
 * Pauses of the feeds that share a server. Each feed waits until all have paused for a multiple of their reads, so that
 * one busy feed is sent at once and many together read as much as one. A feed never waits longer than `mostMs`.
 */
export function createPace(mostMs: number, now: () => number = () => performance.now()) {
  let freeAt = 0;
  return (tookMs: number): number => {
    const time = now();
    freeAt = Math.min(Math.max(freeAt, time) + tookMs * PAUSE_FACTOR, time + mostMs);
    return Math.min(freeAt - time, mostMs - tookMs);
  };
}
