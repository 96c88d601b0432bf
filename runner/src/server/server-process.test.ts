import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endOfLines, findRunningServer, logFileOf, readLog } from './server-process';

test('reads the last lines of a log of any size', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-log-'));
  try {
    const log = logFileOf(folder);
    writeFileSync(log, 'first\n');
    // More than Node reads at once. The file has a hole, so it takes no space.
    truncateSync(log, 3 * 1024 ** 3);
    appendFileSync(log, '\nlast but one\nlast\n');
    expect(readLog(folder, 2)).toEqual(['last but one', 'last']);
    expect(readLog(folder, 100, 3 * 1024 ** 3 + 14)).toEqual(['last']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('leaves an unfinished line of the log for later', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-log-'));
  try {
    writeFileSync(logFileOf(folder), 'first\nsec');
    const end = endOfLines(folder, 0);
    expect([readLog(folder, 9, 0, end), endOfLines(folder, end)]).toEqual([['first'], end]);
    appendFileSync(logFileOf(folder), 'ond\n');
    expect(readLog(folder, 9, end, endOfLines(folder, end))).toEqual(['second']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('does not take a later process with the same id for the server, also without /proc', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-lock-'));
  try {
    const find = (sinceMs: number) => {
      const since = new Date(sinceMs).toISOString();
      const lock = { pid: process.pid, url: 'http://127.0.0.1:4680', since, started: null };
      writeFileSync(join(folder, 'server.lock'), JSON.stringify(lock));
      return findRunningServer(folder)?.pid ?? null;
    };
    expect([find(Date.now()), find(0)]).toEqual([process.pid, null]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
