/**
 * Run `task` when asked, one run at a time and at most every `intervalMs` from start to start. Asking during a run or
 * its interval runs it once more afterwards.
 */
export function createThrottle(task: () => Promise<void>, intervalMs: number) {
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
