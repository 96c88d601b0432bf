/** Runs a command of this machine for alerts of the server. The server sends data only; the command is the caller's. */
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import type { Alert } from '../../../core/api/alerts';
import { commandEnvironment } from '../settings';

export type CommandChange = 'fired' | 'resolved' | 'test';

interface FollowOptions {
  /** Open alerts. */
  read(): Promise<Alert[]>;
  run(alert: Alert, change: CommandChange): Promise<void>;
  problem(error: Error): void;
  signal: AbortSignal;
  pauseMs?: number;
}

const PAUSE_MS = 2_000;

/** Follow the open alerts until the signal aborts. One command runs at a time. */
export async function followAlerts({
  read,
  run,
  problem,
  signal,
  pauseMs = PAUSE_MS,
}: FollowOptions): Promise<void> {
  const firing = new Map<string, Alert>();
  let lastProblem = '';
  while (!signal.aborted) {
    try {
      const open = (await read()).filter(({ phase }) => phase === 'firing');
      lastProblem = '';
      const ids = new Set(open.map(({ id }) => id));
      for (const alert of open) {
        // A mute and quiet hours also apply to an alert that the command knows already.
        const isHeld = !alert.pulledBy.includes('command') || alert.mutedUntil !== null;
        if (isHeld || firing.has(alert.id)) continue;
        firing.set(alert.id, alert);
        await run(alert, 'fired');
      }
      for (const [id, alert] of firing) {
        if (ids.has(id)) continue;
        firing.delete(id);
        await run(alert, 'resolved');
      }
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted && message !== lastProblem) problem(error as Error);
      lastProblem = message;
    }
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

const TIMEOUT_MS = 60_000;

/** @returns the exit code; 1 if the command did not start or took longer than a minute */
export function runWithAlert(command: string, alert: Alert, change: CommandChange): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, [], {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      timeout: TIMEOUT_MS,
      env: commandEnvironment({
        ALERT_ID: alert.id,
        ALERT_CHANGE: change,
        ALERT_RULE: alert.rule.name,
        ALERT_TEXT: alert.text,
      }) as NodeJS.ProcessEnv,
    });
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
    // A command that reads no input closes the pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify({ change, ...alert })}\n`);
  });
}

const NO_ID = '00000000-0000-4000-8000-000000000000';

export const TEST_ALERT: Alert = {
  id: NO_ID,
  rule: { id: NO_ID, name: 'Test message' },
  severity: 'info',
  condition: 'test',
  phase: 'firing',
  text: 'This command works.',
  since: '2026-01-01T00:00:00.000Z',
  firedAt: '2026-01-01T00:00:00.000Z',
  resolvedAt: null,
  resolvedBy: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  mutedUntil: null,
  project: 'test',
  runner: 'test',
  session: null,
  pulledBy: ['command'],
};
