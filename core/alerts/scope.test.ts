import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { quietUntil } from './quiet-hours';
import { type QuietHours, ruleDefinition } from './rule';
import { compileScope } from './scope';

const subject = { project: 'Shop-Web', runner: 'desk', model: null, title: 'Fix payments', branch: 'main' };
const matches = (scope: object) => compileScope(ruleDefinition.shape.scope.parse(scope))(subject);

test('a scope matches patterns without case, and needs every given field', () => {
  expect(matches({})).toBe(true);
  expect(matches({ project: ['shop-*'] })).toBe(true);
  expect(matches({ project: ['shop'] })).toBe(false);
  expect(matches({ title: ['*PAY*', 'other'] })).toBe(true);
  expect(matches({ title: ['f*x*p*s'] })).toBe(true);
  expect(matches({ title: ['*pay*pay*'] })).toBe(false);
  expect(matches({ project: ['shop-*'], branch: ['dev'] })).toBe(false);
  expect(matches({ model: ['*'] })).toBe(false);
});

test('a pattern with many stars takes no exponential time', () => {
  const long = { ...subject, title: 'a'.repeat(5_000) };
  const inScope = compileScope(ruleDefinition.shape.scope.parse({ title: [`${'*a'.repeat(90)}b`] }));
  // A test's own time limit cannot end work that never pauses.
  expect(runInNewContext('inScope(long)', { inScope, long }, { timeout: 60_000 })).toBe(false);
});

const quiet = (more: Partial<QuietHours> = {}): QuietHours => ({
  zone: 'Europe/Berlin',
  from: '22:00',
  to: '07:00',
  days: [0, 1, 2, 3, 4, 5, 6],
  ...more,
});
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const until = (hours: QuietHours, at: string) => iso(quietUntil(hours, Date.parse(at)));

test('quiet hours end in their time zone, also after midnight', () => {
  expect(until(quiet(), '2026-11-21T21:30:00Z')).toBe('2026-11-22T06:00:00.000Z');
  expect(until(quiet(), '2026-11-22T05:59:59Z')).toBe('2026-11-22T06:00:00.000Z');
  expect(until(quiet(), '2026-11-22T06:00:00Z')).toBeNull();
  expect(until(quiet(), '2026-11-21T20:59:59Z')).toBeNull();
});

test('quiet hours follow the clock change', () => {
  // On 25 October 2026 Berlin changes from UTC+2 to UTC+1.
  expect(until(quiet(), '2026-10-24T20:30:00Z')).toBe('2026-10-25T06:00:00.000Z');
});

test('quiet hours apply on the days on which they begin', () => {
  // 21 November 2026 is a Saturday.
  const saturday = quiet({ days: [6] });
  expect(until(saturday, '2026-11-22T02:00:00Z')).toBe('2026-11-22T06:00:00.000Z');
  expect(until(saturday, '2026-11-22T22:00:00Z')).toBeNull();
});
