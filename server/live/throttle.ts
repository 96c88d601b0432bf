/** Run `task` at once when asked, and then at most every `intervalMs`; a request in between runs it again. */
export interface Throttle {
  ask(): void;
  stop(): void;
}

/**
 * One run at a time: the interval counts from the start of a run, and a slow run delays the next one, so that
 * a slow database gets fewer queries.
 */
export function createThrottle(task: () => Promise<void>, intervalMs: number): Throttle {
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
    timer = setTimeout(rest, Math.max(0, intervalMs - (performance.now() - startedAt)));
  }

  function rest(): void {
    if (isStopped()) return;
    state = 'resting';
    if (asked) void run();
  }

  const isStopped = () => state === 'stopped';

  return {
    ask() {
      asked = true;
      if (state === 'resting') void run();
    },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
}
