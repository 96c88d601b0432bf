/**
 * Work that waits in the database, looked for again and again: one round at a time, the next one a while after the one
 * before. What a round cannot do still waits, and the next one finds it.
 */
import type { Logger } from 'pino';
import { judgeFault } from '../db/judge-fault';

export interface RoundsOptions {
  /** One round; it ends early once `isClosed` answers true. */
  work(isClosed: () => boolean): Promise<void>;
  /** Said where a round fails, before "; trying later". */
  failure: string;
  log: Logger;
  /** Time between two rounds. */
  intervalMs: number;
}

export interface Rounds {
  /** Begins no further round; resolves when the one at work is through. */
  close(): Promise<void>;
}

export function startRounds({ work, failure, log, intervalMs }: RoundsOptions): Rounds {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round = run();

  async function run(): Promise<void> {
    try {
      await work(() => isClosed);
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
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await round;
    },
  };
}
