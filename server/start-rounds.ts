/** A repeated job on the database: one round at a time, with a pause between rounds. The next round retries a failure. */
import type { Logger } from 'pino';
import { judgeFault } from '../db/judge-fault';
import { taskFailures } from './metrics';

/** A round may also have waited for a database that was away. */
const LONGEST_REST_MS = 30_000;

interface RoundsOptions {
  /** Name in the metrics. */
  task: string;
  /**
   * Runs one round, or one step of it. True: more work waits, so the next step starts at once. Ends early once `isClosed`
   * returns true.
   */
  work(isClosed: () => boolean): Promise<unknown>;
  /** Logged with "; trying later" when a round fails, but not again while rounds fail in the same way. */
  failure: string;
  log: Logger;
  intervalMs: number;
  /** The pause is at least this many times as long as the round before it, up to half a minute. Default 0. */
  restFactor?: number;
}

export function startRounds({ task, work, failure, log, intervalMs, restFactor = 0 }: RoundsOptions) {
  let isClosed = false;
  let lastFault = '';
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isAsked = false;
  let round = run();

  async function run(): Promise<void> {
    isRunning = true;
    const startedAt = performance.now();
    try {
      do {
        isAsked = false;
        while ((await work(() => isClosed)) === true && !isClosed);
      } while (isAsked && !isClosed);
      lastFault = '';
    } catch (error) {
      const fault = { fault: judgeFault(error), code: (error as { code?: unknown }).code };
      taskFailures.inc({ task });
      if (JSON.stringify(fault) !== lastFault) log.warn(fault, `${failure}; trying later`);
      lastFault = JSON.stringify(fault);
    }
    isRunning = false;
    if (isClosed) return;
    const restMs = Math.min(restFactor * (performance.now() - startedAt), LONGEST_REST_MS);
    timer = setTimeout(begin, Math.max(intervalMs, restMs)).unref();
  }

  function begin(): void {
    clearTimeout(timer);
    round = run();
  }

  return {
    /** Start a round now, or after the current one. */
    soon(): void {
      isAsked = true;
      if (!isRunning && !isClosed) begin();
    },
    /** Start no further round, and resolve when the current round has ended. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await round;
    },
  };
}
