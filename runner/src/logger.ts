/**
 * Where the library writes its lines. Anything with these four methods will do: `console` as it is, winston
 * and most others too. A logger that takes its fields first (pino, bunyan) goes through `fieldsFirst`.
 */
export interface Logger {
  /** Each step, for who looks for a fault. */
  debug(message: string, fields?: Record<string, unknown>): void;
  /** What happened, once each: a restart, an archive. */
  info(message: string, fields?: Record<string, unknown>): void;
  /** What goes on with less than it should: no usage, no transcript. */
  warn(message: string, fields?: Record<string, unknown>): void;
  /** What failed, though the agent's work goes on. */
  error(message: string, fields?: Record<string, unknown>): void;
}

/** A logger with the same four methods that takes its fields before its message: pino, bunyan. */
export type FieldsFirst = Record<keyof Logger, (fields: Record<string, unknown>, message: string) => void>;

/** Takes a logger in pino's way (`log.info(fields, message)`). */
export function fieldsFirst(logger: FieldsFirst): Logger {
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
}

const ignore = () => undefined;

/** What is used where nobody gave one: a library keeps quiet unless asked. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
