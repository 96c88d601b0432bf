/** For tests: trackers of messages with given tokens, and records of events, log lines and reports. */
import type { FieldsOf, TurnFields } from '../../client/client-types';
import type { Logger } from '../../logger';
import { ContextTracker } from '../context-tracker';
import type { TrackerEvent } from '../event-emitter';
import type { ContextTrackerOptions, TokenCounter, TrackerSession } from '../tracker-options';

export interface Weighed {
  role: string;
  tokens: number;
}

/** Each message states its own tokens. */
const weighing: TokenCounter<Weighed> = { countMessage: ({ tokens }) => tokens, isExact: true };

export function weighed(role: string, tokens: number): Weighed {
  return { role, tokens };
}

export function trackerOf(
  options: Partial<ContextTrackerOptions<Weighed>> & { limit: number },
): ContextTracker<Weighed> {
  return new ContextTracker<Weighed>({ counter: weighing, ...options });
}

export function recordEvents(tracker: Pick<ContextTracker, 'subscribe'>): TrackerEvent[] {
  const events: TrackerEvent[] = [];
  tracker.subscribe((event) => events.push(event));
  return events;
}

export interface LogLine {
  level: keyof Logger;
  message: string;
  fields: Record<string, unknown> | undefined;
}

export function recordingLogger(): Logger & { lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (level: keyof Logger) => (message: string, fields?: Record<string, unknown>) => {
    lines.push({ level, message, fields });
  };
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

export type Report =
  | ({ type: 'turn' } & TurnFields)
  | ({ type: 'reading' } & FieldsOf<'reading'>)
  | ({ type: 'clear' } & FieldsOf<'clear'>)
  | ({ type: 'compress' } & FieldsOf<'compress'>);

export function recordingSession(): TrackerSession & { reports: Report[] } {
  const reports: Report[] = [];
  return {
    reports,
    turn: (fields) => reports.push({ type: 'turn', ...fields }),
    reading: (fields) => reports.push({ type: 'reading', ...fields }),
    clear: (fields) => reports.push({ type: 'clear', ...fields }),
    compress: (fields) => reports.push({ type: 'compress', ...fields }),
  };
}
