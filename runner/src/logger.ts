/**
 * The library's logger: `console`, winston and most others fit. `fieldsFirst` adapts a logger that takes its fields
 * first, such as pino or bunyan.
 */
export interface Logger {
  /** Each step, for debugging. */
  debug(message: string, fields?: Record<string, unknown>): void;
  /** Events, such as a restart or an archive. */
  info(message: string, fields?: Record<string, unknown>): void;
  /** Missing data, such as usage or a transcript. */
  warn(message: string, fields?: Record<string, unknown>): void;
  /** Failures that do not stop the agent. */
  error(message: string, fields?: Record<string, unknown>): void;
}

/** A logger with the same four methods that takes its fields before its message: pino, bunyan. */
export type FieldsFirst = Record<keyof Logger, (fields: Record<string, unknown>, message: string) => void>;

/** Adapt a logger with pino's signature (`log.info(fields, message)`). */
export function fieldsFirst(logger: FieldsFirst): Logger {
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
}

const ignore = () => undefined;

/** The default logger, which logs nothing. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
