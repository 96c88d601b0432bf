/** Runs `barograph watch` beside the server, on a system that runs no services for this account. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../private-files';
import { keptCommand } from './server-package';
import { isSameProcess, processStart } from './server-process';

const fileIn = (dataFolder: string) => join(dataFolder, 'watch.json');

/** Process id of the running `watch` that `startWatch` started; null if there is none. */
export function findWatch(dataFolder: string): number | null {
  const owner = Object(readJson(fileIn(dataFolder)));
  return isSameProcess(owner) ? owner.pid : null;
}

/** Start `watch` in a separate process session. Its output goes to `watch.log`. @returns null if it runs already */
export function startWatch(dataFolder: string): ChildProcess | null {
  if (findWatch(dataFolder) !== null) return null;
  const [, started = ''] = process.argv;
  const log = openSync(join(dataFolder, 'watch.log'), 'a', 0o600);
  try {
    const command = [keptCommand(dataFolder) ?? started, 'watch'];
    const child = spawn(process.execPath, command, { detached: true, stdio: ['ignore', log, log] });
    child.on('error', () => undefined);
    child.unref();
    const { pid = 0 } = child;
    const owner = { pid, since: new Date().toISOString(), started: processStart(pid) };
    writeFileSync(fileIn(dataFolder), JSON.stringify(owner), { mode: 0o600 });
    return child;
  } finally {
    closeSync(log);
  }
}

/** @throws the system's error if this account may not stop the process */
export function stopWatch(dataFolder: string): void {
  const pid = findWatch(dataFolder);
  if (pid !== null) process.kill(pid, 'SIGTERM');
  rmSync(fileIn(dataFolder), { force: true });
}
