import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Alert } from '../../../core/api/alerts';
import { followAlerts, runWithAlert, TEST_ALERT } from './follow-alerts';

const alert = (id: string, more: Partial<Alert> = {}): Alert => ({ ...TEST_ALERT, id, ...more });

test('runs for each new alert of a command channel and for its end, also after an error', async () => {
  const ended = new AbortController();
  const answers: (Alert[] | Error)[] = [
    [alert('a'), alert('b', { pulledBy: ['browser'] }), alert('c', { phase: 'pending' })],
    new Error('away'),
    [alert('a'), alert('d')],
    // Muted, or in quiet hours.
    [alert('d', { mutedUntil: '2026-01-01T00:00:00.000Z' }), alert('e', { pulledBy: [] })],
    [alert('d'), alert('e')],
  ];
  const runs: string[] = [];
  const problems: string[] = [];
  await followAlerts({
    read: async () => {
      const next = answers.shift();
      if (next instanceof Error) throw next;
      if (answers.length === 0) ended.abort();
      return next ?? [];
    },
    run: async ({ id }, change) => void runs.push(`${id} ${change}`),
    problem: ({ message }) => problems.push(message),
    signal: ended.signal,
    pauseMs: 1,
  });
  expect(runs).toEqual(['a fired', 'd fired', 'a resolved', 'e fired']);
  expect(problems).toEqual(['away']);
});

test('gives the command the alert as data, which no shell reads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  const text = '$(touch hacked) `touch hacked`; "quoted"';
  const given = alert('a', { text, rule: { id: 'r', name: '; touch hacked' } });
  const code = await runWithAlert(
    `cd ${folder} && cat > input && printf %s "$ALERT_TEXT" > text; ls > list`,
    given,
    'fired',
  );
  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'input'), 'utf8'))).toEqual({ change: 'fired', ...given });
  expect(readFileSync(join(folder, 'text'), 'utf8')).toBe(text);
  expect(readFileSync(join(folder, 'list'), 'utf8')).not.toContain('hacked');
});

test('reports the exit code of the command', async () => {
  expect(await runWithAlert('exit 3', TEST_ALERT, 'test')).toBe(3);
});
