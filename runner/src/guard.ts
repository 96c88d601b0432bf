import type { LensName } from '../../core/protocol/items';
import { type Logger, silentLogger } from './logger';

/** Call foreign code. Errors and rejections go to `onFailure`. */
export function guard(action: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    Promise.resolve(action()).catch(onFailure);
  } catch (error) {
    onFailure(error);
  }
}

/** Create a function that reports to the session, if there is one, and logs a failure with the given message. */
export function createReport<Session>(
  session: Session | undefined,
  logger: Logger,
  failure: string,
): (send: (session: Session) => unknown) => void {
  return (send) =>
    guard(
      () => session && send(session),
      (error) => logger.warn(failure, { error }),
    );
}

/**
 * Create a function that declares a session's lens with the first report of its main chain. Other chains do not decide
 * the lens.
 */
export function createLensDeclaration<Session extends { start?(fields: { lens: LensName }): unknown }>(
  report: (send: (session: Session) => unknown) => void,
  chain = 'main',
): (lens: LensName) => void {
  let isDue = chain === 'main';
  return (lens) => {
    if (isDue) report((session) => session.start?.({ lens }));
    isDue = false;
  };
}

/** The same logger, except that it never throws. */
export function guardLogger(logger: Logger = silentLogger): Logger {
  const ignore = () => undefined;
  const log = (level: keyof Logger): Logger[keyof Logger] => {
    return (message, fields) => guard(() => logger[level](message, fields), ignore);
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

/** The message of an error. A network error has its message in the cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause = error } = error;
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return (inner instanceof Error && inner.message) || error.message || error.name;
}
