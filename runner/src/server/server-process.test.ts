import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logFileOf, readLog } from './server-process';

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
