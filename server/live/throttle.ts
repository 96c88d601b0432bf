/**
 * Run `task` on request, one run at a time, with at least `intervalMs` between two starts. Requests during a run or its
 * interval cause one more run afterwards.
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
