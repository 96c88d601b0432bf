/**
 * SIGINT, SIGTERM and SIGHUP begin an orderly end; a second one, a moment later, ends at once.
 *
 * An end takes what is in flight with it: whoever waits for an acknowledgement gets it or keeps the item.
 */
import type { Logger } from 'pino';

/** Longest an orderly end may take. */
const STOP_TIMEOUT_MS = 30_000;
/** npm passes a terminal's Ctrl-C on, so one key press arrives twice. */
const SAME_PRESS_MS = 500;

/** Returns the function that begins the end; it is safe to call it again. Exit code 0 for a signal. */
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
        log.error({ err: String(error) }, 'the end was not orderly');
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
