import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findWatch, startWatch, stopWatch } from './watch-process';

test('starts one watch per data folder, does not take another process for it, and stops it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-watch-'));
  const command = join(folder, 'program', 'node_modules', 'barograph', 'dist', 'cli.js');
  mkdirSync(dirname(command), { recursive: true });
  writeFileSync(command, 'setInterval(() => undefined, 1_000);');
  const child = startWatch(folder);
  try {
    expect([findWatch(folder), startWatch(folder)]).toEqual([child?.pid, null]);
    const file = join(folder, 'watch.json');
    const text = readFileSync(file, 'utf8');
    // A later process with the same id began at another time.
    writeFileSync(file, JSON.stringify({ ...JSON.parse(text), since: new Date(0), started: null }));
    expect(findWatch(folder)).toBeNull();
    writeFileSync(file, text);
    const ended = child && once(child, 'exit');
    stopWatch(folder);
    expect(await ended).toEqual([null, 'SIGTERM']);
    expect(findWatch(folder)).toBeNull();
  } finally {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});
