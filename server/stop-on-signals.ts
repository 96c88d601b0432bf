/**
 * SIGINT, SIGTERM and SIGHUP start a graceful shutdown. A second signal exits at once. Runners keep unacknowledged
 * items.
 */
import type { Logger } from 'pino';

const STOP_TIMEOUT_MS = 30_000;
/** npm forwards a terminal's Ctrl-C, so one key press arrives twice. */
const SAME_PRESS_MS = 500;

/** Returns a function that starts the shutdown once. The exit code is 0 for a signal. */
export function stopOnSignals(stop: () => Promise<void>, log: Logger): (exitCode: number) => void {
  let isStopping = false;
  let firstSignalAt = 0;
  const begin = (exitCode: number): void => {
    if (isStopping) return;
    isStopping = true;
    const force = setTimeout(() => {
      log.error(`not stopped after ${STOP_TIMEOUT_MS / 1_000} s; ending now`);
      process.exit(1);
    }, STOP_TIMEOUT_MS);
    stop().then(
      () => {
        clearTimeout(force);
        process.exit(exitCode);
      },
      (error: unknown) => {
        log.error({ err: String(error) }, 'the shutdown failed');
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isStopping && Date.now() - firstSignalAt > SAME_PRESS_MS) process.exit(1);
      if (!isStopping) firstSignalAt = Date.now();
      begin(0);
    });
  }
  return begin;
}
