/** A repeated job on the database: one round at a time, with a pause between rounds. The next round retries a failure. */
import type { Logger } from 'pino';
import { judgeFault } from '../db/judge-fault';

interface RoundsOptions {
  /**
   * Runs one round, or one step of it. True: more work waits, so the next step starts at once. Ends early once `isClosed`
   * returns true.
   */
  work(isClosed: () => boolean): Promise<unknown>;
  /** Logged with "; trying later" when a round fails, but not again while rounds fail in the same way. */
  failure: string;
  log: Logger;
  intervalMs: number;
}

export function startRounds({ work, failure, log, intervalMs }: RoundsOptions) {
  let isClosed = false;
  let lastFault = '';
  let timer: NodeJS.Timeout | undefined;
  let round = run();

  async function run(): Promise<void> {
    try {
      while ((await work(() => isClosed)) === true && !isClosed);
      lastFault = '';
    } catch (error) {
      const fault = { fault: judgeFault(error), code: (error as { code?: unknown }).code };
      if (JSON.stringify(fault) !== lastFault) log.warn(fault, `${failure}; trying later`);
      lastFault = JSON.stringify(fault);
    }
    if (isClosed) return;
    timer = setTimeout(() => {
      round = run();
    }, intervalMs).unref();
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
