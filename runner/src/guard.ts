import type { Logger } from './logger';

/** Call foreign code; errors and rejections go to `onFailure`. */
export function guard(action: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const outcome = action();
    if (isThenable(outcome)) Promise.resolve(outcome).catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}

/** The same logger, without its errors. */
export function guardLogger(logger: Logger): Logger {
  const ignore = () => undefined;
  return {
    debug: (message, fields) => guard(() => logger.debug(message, fields), ignore),
    info: (message, fields) => guard(() => logger.info(message, fields), ignore),
    warn: (message, fields) => guard(() => logger.warn(message, fields), ignore),
    error: (message, fields) => guard(() => logger.error(message, fields), ignore),
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
