/** A repeated job on the database: one round at a time, with a pause between rounds. The next round retries a failure. */
import type { Logger } from 'pino';
import { judgeFault } from '../db/judge-fault';

interface RoundsOptions {
  /**
   * Runs one round, or one step of it. True: more work waits, so the next step starts at once. Ends early once `isClosed`
   * returns true.
   */
  work(isClosed: () => boolean): Promise<unknown>;
  /** Logged when a round fails, before "; trying later". */
  failure: string;
  log: Logger;
  intervalMs: number;
}

export function startRounds({ work, failure, log, intervalMs }: RoundsOptions) {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round = run();

  async function run(): Promise<void> {
    try {
      while ((await work(() => isClosed)) === true && !isClosed);
    } catch (error) {
      const { code } = error as { code?: unknown };
      log.warn({ fault: judgeFault(error), code }, `${failure}; trying later`);
    }
    if (isClosed) return;
    timer = setTimeout(() => {
      round = run();
    }, intervalMs);
    timer.unref();
  }

  return {
    /** Start no further round, and resolve when the current round has ended. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await round;
    },
  };
}
