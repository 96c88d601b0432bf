import type { Logger } from '../logger';

/** What the working process tells the one that answers the client. */
export type HookMessage =
  /** A line for the person. */
  | { type: 'line'; level: keyof Logger; message: string }
  /** The archive is made, or will not be: the client need not wait. */
  | { type: 'settled' };

const NAMES: Record<keyof Logger, string> = { debug: 'DEBUG', info: 'INFO', warn: 'WARNING', error: 'ERROR' };

export function formatLine(level: keyof Logger, message: string): string {
  return `${NAMES[level]} ${message}`;
}
