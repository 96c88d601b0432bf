/** The log: JSON lines on stderr, or plain lines on a terminal. */
import pino, { type Logger } from 'pino';
import type { LogLevel } from './settings';

const LEVEL_NAMES: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

export function createLog(level: LogLevel, output: NodeJS.WriteStream): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (!output.isTTY) return pino(options, output);
  return pino(options, { write: (line: string) => output.write(formatLine(line)) });
}

/** `22:14:05 warn  the database is back  detail=process 123` */
function formatLine(json: string): string {
  try {
    const { level, time, msg, ...rest } = JSON.parse(json) as Record<string, unknown>;
    const clock = typeof time === 'string' ? time.slice(11, 19) : '';
    const name = (LEVEL_NAMES[Number(level)] ?? '').padEnd(5);
    const details = Object.entries(rest).map(
      ([key, value]) => `  ${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
    );
    return `${clock} ${name} ${typeof msg === 'string' ? msg : ''}${details.join('')}\n`;
  } catch {
    return json;
  }
}
