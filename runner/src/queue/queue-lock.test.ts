import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimLock, describeThisProcess, isLocked, type LockOwner, releaseLock } from './queue-lock';

let folder: string;
const self = describeThisProcess();
const now = Date.now();

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'p4-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function leaveLock(owner: Partial<LockOwner>, ageMs = 0) {
  const file = path.join(folder, 'lock');
  writeFileSync(file, JSON.stringify({ ...self, ...owner }));
  utimesSync(file, (now - ageMs) / 1000, (now - ageMs) / 1000);
}

test('takes a free folder only once', () => {
  expect(claimLock(folder, self, now)).toEqual({ held: true, previous: null });
  expect(claimLock(folder, self, now)).toMatchObject({ held: false });
  expect(isLocked(folder, self, now)).toBe(true);
  releaseLock(folder);
  expect(claimLock(folder, self, now)).toEqual({ held: true, previous: null });
});

test('takes over the lock of a dead process', () => {
  // Above the largest pid of Linux.
  leaveLock({ pid: 4_194_305 });
  expect(claimLock(folder, self, now)).toMatchObject({ held: true, previous: { pid: 4_194_305 } });
});

test.runIf(self.started !== '')('detects a reused pid', () => {
  leaveLock({ started: '1' });
  expect(claimLock(folder, self, now)).toMatchObject({ held: true });
});

test('takes over the lock of an earlier boot', () => {
  leaveLock({ boot: 'earlier' });
  expect(claimLock(folder, self, now)).toMatchObject({ held: true, previous: { boot: 'earlier' } });
});

test('judges the lock of another host by its heartbeat', () => {
  leaveLock({ host: 'elsewhere' }, 60_000);
  expect(claimLock(folder, self, now)).toMatchObject({ held: false });
  leaveLock({ host: 'elsewhere' }, 600_000);
  expect(claimLock(folder, self, now)).toMatchObject({ held: true });
});

test('takes over an incomplete lock after a while', () => {
  const file = path.join(folder, 'lock');
  writeFileSync(file, '');
  expect(claimLock(folder, self, Date.now())).toMatchObject({ held: false });
  expect(claimLock(folder, self, Date.now() + 60_000)).toMatchObject({ held: true });
});
